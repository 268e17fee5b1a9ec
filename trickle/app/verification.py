"""Prove the promise on demand: against the mirrors, or against PostgreSQL inside the cut's own snapshot."""

from __future__ import annotations

import os
import tempfile
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from trickle.app.database import open_databases
from trickle.errors import RunError
from trickle.lake.delta_lake import DeltaLake
from trickle.model.files import FilePart, StoredRows
from trickle.model.ports import Engine, OpenCut
from trickle.model.report import Progress, RunReport, RunStatus, Verification
from trickle.model.stream_table import SourceTable, StreamTable
from trickle.project.files import ProjectFiles
from trickle.refresh.project_run import ProjectRun, Scope
from trickle.refresh.verify import Verifier

if TYPE_CHECKING:
    import pyarrow as pa


def verify_inputs(
    lake: DeltaLake, engine: Engine, tables: Sequence[StreamTable], limit: int
) -> tuple[Verification, ...]:
    """Recompute each table from its inputs at its own epoch."""
    verifier = Verifier(lake, engine, limit)
    return tuple(verifier.table(table) for table in tables)


def verify_source(files: ProjectFiles, scope: Scope, engine: Engine, limit: int) -> tuple[Verification, ...]:
    """Run once, and compare mirrors and tables with PostgreSQL in the snapshot the run was cut at."""
    lake = DeltaLake.open_or_create(files.lake)
    run_id = str(uuid.uuid4())
    with open_databases(files) as databases, tempfile.TemporaryDirectory(prefix="trickle-verify-") as folder:
        run = ProjectRun(lake, engine, databases, scope, run_id, _ignore)
        with run.hold(f"verify {run_id} (pid {os.getpid()})"), run.intake() as intake:
            _require_ok(run.refresh(intake))
            truth = {source.name: _copy(source, intake.cuts, Path(folder)) for source in scope.sources}
        verifier = Verifier(lake, engine, limit, "postgresql", truth)
        mirrors = tuple(verifier.mirror(name, rows) for name, rows in truth.items())
        return (*mirrors, *(verifier.table(table) for table in scope.chosen()))


def _ignore(_: Progress) -> None:
    """A verification shows its own outcome."""


def _require_ok(report: RunReport) -> None:
    errors = [run.error for run in report.sources if run.error]
    errors += [run.error or run.reason for run in report.tables if run.status is not RunStatus.OK]
    if errors:
        raise RunError("cannot verify: the run before it failed", detail="\n".join(errors))


def _copy(source: SourceTable, cuts: Mapping[str, OpenCut], folder: Path) -> StoredRows:
    cut = cuts[source.connection]
    path = folder / f"{uuid.uuid4()}.parquet"
    rows = _write(cut.copy(source.name), path)
    return StoredRows(source.name, cut.schema(source.name), (FilePart((str(path),), rows=rows),))


def _write(reader: pa.RecordBatchReader, path: Path) -> int:
    with pq.ParquetWriter(path, reader.schema) as writer:
        rows = 0
        for batch in reader:
            writer.write_batch(batch)
            rows += batch.num_rows
    return rows
