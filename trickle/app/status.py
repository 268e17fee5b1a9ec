"""Where every source and table stands: the answer of `trickle status`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trickle.app.database import open_databases
from trickle.errors import TrickleError
from trickle.lake.delta_lake import DeltaLake
from trickle.model.names import RelationName
from trickle.model.report import SourceStatus, StatusReport, TableStatus
from trickle.model.stream_table import CdcMode, SourceTable, StreamTable
from trickle.project.files import ProjectFiles
from trickle.refresh.horizon import last_sealed
from trickle.refresh.ingest import positions


def status_report(files: ProjectFiles, tables: Sequence[StreamTable], lake: DeltaLake | None) -> StatusReport:
    """Ask the lake, and the databases where they answer."""
    waiting = _waiting(files, lake)
    latest = _latest_runs(lake)
    return StatusReport(
        epoch=last_sealed(lake.cuts()) if lake else 0,
        sources=tuple(_source(source, lake, waiting) for source in files.sources),
        tables=tuple(_table(table, lake, latest) for table in tables),
    )


def _waiting(files: ProjectFiles, lake: DeltaLake | None) -> dict[RelationName, int | None]:
    if lake is None:
        return {}
    since = positions(lake.cuts(), files.sources)
    found: dict[RelationName, int | None] = {}
    try:
        with open_databases(files) as databases:
            for name, database in databases.items():
                tables = [source for source in files.sources if source.connection == name]
                found.update(database.pending(lake.lake_id, tables, since))
    except TrickleError:
        return {}
    return found


def _latest_runs(lake: DeltaLake | None) -> dict[str, Mapping[str, object]]:
    latest: dict[str, Mapping[str, object]] = {}
    rows = lake.history(10_000).to_pylist() if lake else []
    for row in rows:
        latest.setdefault(row["table"], row)
    return latest


def _source(source: SourceTable, lake: DeltaLake | None, waiting: Mapping[RelationName, int | None]) -> SourceStatus:
    captured = lake is not None and lake.stored(source.name) is not None
    mode = CdcMode.TRIGGER if source.cdc_mode is CdcMode.AUTO else source.cdc_mode
    state = "STREAMING" if captured else "PENDING"
    return SourceStatus(str(source.name), str(mode), state, None, waiting.get(source.name))


def _table(table: StreamTable, lake: DeltaLake | None, latest: Mapping[str, Mapping[str, object]]) -> TableStatus:
    stored = lake.stored(table.name) if lake else None
    run = latest.get(str(table.name), {})
    status = str(run.get("status", "")) or ("ok" if stored else "never run")
    finished = run.get("finished_at")
    return TableStatus(
        name=table.name.table,
        epoch=stored.epoch if stored else None,
        mode=str(run.get("mode", "")),
        rows=stored.rows if stored else None,
        last_refresh=finished.isoformat() if hasattr(finished, "isoformat") else "",
        status=status,
    )
