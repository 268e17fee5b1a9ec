"""A project as the CLI and Python programs use it."""

from __future__ import annotations

import os
import socket
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from trickle.app.database import Database, database, open_databases
from trickle.app.status import status_report
from trickle.errors import ProjectError
from trickle.graph.build import Graph, build_graph
from trickle.graph.select import select_tables
from trickle.lake.delta_lake import DeltaLake
from trickle.model.names import RelationName
from trickle.model.ports import SourceDatabase
from trickle.model.report import (
    Check,
    Explanation,
    PlanReport,
    Progress,
    RunReport,
    StatusReport,
    Verification,
)
from trickle.model.schema import TableSchema
from trickle.model.stream_table import StreamTable
from trickle.model.suggest import did_you_mean
from trickle.project.files import ProjectFiles
from trickle.project.loader import load_project
from trickle.refresh.explain import explain_table
from trickle.refresh.forecast import Forecast, Waiting
from trickle.refresh.ingest import positions
from trickle.refresh.project_run import THREADS, ProjectRun, Scope

if TYPE_CHECKING:
    import pyarrow as pa

    from trickle.engine.spark import SparkEngine

Selectors = Sequence[str]


def _silent(_: Progress) -> None:
    """Report nothing."""


class Project:
    """A folder of YAML and SQL, and the stream tables it declares."""

    def __init__(self, files: ProjectFiles) -> None:
        self._graph: Graph = build_graph(files.sources, files.tables)
        used = {name for table in files.tables for name in table.inputs}
        self._files = replace(files, sources=tuple(source for source in files.sources if source.name in used))
        self._spark: SparkEngine | None = None

    @classmethod
    def load(
        cls,
        directory: str | Path = ".",
        *,
        target: str | None = None,
        variables: Mapping[str, object] | None = None,
    ) -> Project:
        """Read and check the project's files; nothing is connected to or changed."""
        return cls(load_project(Path(directory).resolve(), target, variables or {}, os.environ))

    def close(self) -> None:
        """Stop Spark, if it was started."""
        if self._spark is not None:
            self._spark.close()
            self._spark = None

    def names(self, *, select: Selectors = (), exclude: Selectors = ()) -> tuple[str, ...]:
        """The stream tables in dependency order."""
        chosen = self._selected(select, exclude)
        return tuple(table.name.table for table in self._graph.tables if table.name in chosen)

    def plan(self, *, offline: bool = False, select: Selectors = (), exclude: Selectors = ()) -> PlanReport:
        """What a run would do now, and why; `offline` needs neither database nor JVM."""
        schemas, waiting = self._offline() if offline else self._online()
        report = Forecast(self._stored_lake(), schemas, waiting).report(self._graph.tables)
        chosen = {name.table for name in self._selected(select, exclude)}
        return PlanReport(report.epoch, tuple(plan for plan in report.tables if plan.name in chosen))

    def run(
        self,
        *,
        select: Selectors = (),
        exclude: Selectors = (),
        full_refresh: bool = False,
        threads: int = THREADS,
        progress: Callable[[Progress], None] | None = None,
    ) -> RunReport:
        """Capture, then refresh what is stale, in dependency order; independent tables side by side in `threads`."""
        scope = Scope(self._files.sources, self._graph.tables, self._selected(select, exclude), full_refresh, threads)
        with open_databases(self._files) as databases:
            self._check_schemas(databases)
            run_id = str(uuid.uuid4())
            lake = DeltaLake.open_or_create(self._files.lake)
            run = ProjectRun(lake, self._engine(), databases, scope, run_id, progress or _silent)
            return run.execute(_holder(run_id))

    def table(self, name: str) -> pa.Table:
        """A stream table's rows as Arrow, without a JVM."""
        return self._lake_of(name).table(self._find(name).name)

    def status(self) -> StatusReport:
        """Where every source and table stands."""
        return status_report(self._files, self._graph.tables, self._stored_lake())

    def history(self, limit: int = 20) -> pa.Table:
        """The newest refreshes first."""
        return self._require_lake().history(limit)

    def verify(
        self, *, select: Selectors = (), exclude: Selectors = (), source: bool = False, limit: int = 20
    ) -> tuple[Verification, ...]:
        """Recompute each table and compare; `source` compares with PostgreSQL inside the cut of a new run."""
        from trickle.app.verification import verify_inputs, verify_source

        chosen = self._selected(select, exclude)
        if source:
            scope = Scope(self._files.sources, self._graph.tables, chosen)
            return verify_source(self._files, scope, self._engine(), limit)
        tables = [table for table in self._graph.tables if table.name in chosen]
        return verify_inputs(self._require_lake(), self._engine(), tables, limit)

    def explain(self, name: str) -> Explanation:
        """The operator tree with its laws, and every SQL statement a refresh runs."""
        table = self._find(name)
        compiled = Forecast(self._stored_lake(), self._known_schemas(), Waiting({})).compile(self._graph.tables)
        return explain_table(compiled[table.name])

    def compile(self) -> tuple[Path, ...]:
        """Write the SQL of every table to `target/`."""
        written: list[Path] = []
        for name in self.names():
            folder = self._files.root / "target" / name
            folder.mkdir(parents=True, exist_ok=True)
            for title, sql in self.explain(name).statements.items():
                path = folder / f"{title.replace(' ', '_')}.sql"
                path.write_text(sql + "\n", encoding="utf-8")
                written.append(path)
        return tuple(written)

    def doctor(self) -> tuple[Check, ...]:
        """Check what trickle needs, each with a way to mend it."""
        from trickle.app.doctor import checkup

        return checkup(self._files)

    def drop(self, name: str | None = None) -> tuple[str, ...]:
        """Remove a stream table from the lake, or everything trickle made here and in the databases."""
        from trickle.app.removal import drop_all, drop_table

        lake = self._stored_lake()
        if name is None:
            return drop_all(self._files, lake)
        return drop_table(self._files, self._graph, self._find(name), lake)

    def database(self, connection: str | None = None) -> Database:
        """One of the target's databases."""
        return database(self._files, connection)

    def _find(self, name: str) -> StreamTable:
        by_name = {table.name.table: table for table in self._graph.tables}
        if name not in by_name:
            raise ProjectError(f'stream table "{name}" does not exist', hint=did_you_mean(name, by_name))
        return by_name[name]

    def _selected(self, select: Selectors, exclude: Selectors) -> frozenset[RelationName]:
        return select_tables(self._graph, select, exclude)

    def _stored_lake(self) -> DeltaLake | None:
        return DeltaLake.open(self._files.lake)

    def _require_lake(self) -> DeltaLake:
        lake = self._stored_lake()
        if lake is None:
            raise ProjectError("this project has no lake yet", hint="run `trickle run` first")
        return lake

    def _lake_of(self, name: str) -> DeltaLake:
        lake = self._require_lake()
        if lake.stored(self._find(name).name) is None:
            raise ProjectError(f'stream table "{name}" has not been refreshed yet', hint="run `trickle run` first")
        return lake

    def _offline(self) -> tuple[dict[RelationName, TableSchema], Waiting]:
        return self._known_schemas(), Waiting({})

    def _known_schemas(self) -> dict[RelationName, TableSchema]:
        lake = self._stored_lake()
        schemas: dict[RelationName, TableSchema] = {}
        for source in self._files.sources:
            stored = lake.stored(source.name) if lake else None
            if stored is None and not source.columns:
                raise ProjectError(
                    f"source table {source.name}: its columns are not known without the database",
                    hint="declare columns: for it, or run `trickle run` once",
                    location=source.location,
                )
            schemas[source.name] = stored.schema if stored else TableSchema(source.columns)
        return schemas

    def _online(self) -> tuple[dict[RelationName, TableSchema], Waiting]:
        lake = self._stored_lake()
        with open_databases(self._files) as databases:
            schemas = self._check_schemas(databases)
            waiting: dict[RelationName, int | None] = {}
            since = positions(lake.cuts(), self._files.sources) if lake else {}
            for name, opened in databases.items():
                tables = [source for source in self._files.sources if source.connection == name]
                if lake:
                    waiting.update(opened.pending(lake.lake_id, tables, since))
        return schemas, Waiting(waiting)

    def _check_schemas(self, databases: Mapping[str, SourceDatabase]) -> dict[RelationName, TableSchema]:
        """Describe every source and compile every table, so that a wrong project changes nothing.

        A source that was captured before and has gone wrong since is the run's to report; others go on.
        """
        lake = self._stored_lake()
        schemas: dict[RelationName, TableSchema] = {}
        for name, opened in databases.items():
            tables = [source for source in self._files.sources if source.connection == name]
            found, problems = opened.examine(tables)
            schemas.update(found)
            for source, problem in problems.items():
                stored = lake.stored(source) if lake else None
                if stored is None:
                    raise problem
                schemas[source] = stored.schema
        Forecast(lake, schemas, Waiting({})).compile(self._graph.tables)
        return schemas

    def _engine(self) -> SparkEngine:
        """One Spark session for the life of the project, started when it is first needed."""
        from trickle.engine.spark import SparkEngine

        if self._spark is None:
            self._spark = SparkEngine(self._files.spark.master, self._files.spark.conf)
        return self._spark


def init(name: str, directory: Path) -> tuple[Path, ...]:
    """Write a new project that runs as it is."""
    from trickle.project.scaffold import scaffold

    return scaffold(name, directory)


def _holder(run_id: str) -> str:
    return f"run {run_id} on {socket.gethostname()} (pid {os.getpid()})"
