"""An example project on a database of its own, and its queries as PostgreSQL answers them."""

from __future__ import annotations

import shutil
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import psycopg2
import yaml

from tests.end_to_end.workbench import SPARK_CONF, multiset
from trickle import Project
from trickle.model.report import RunReport
from trickle.model.stream_table import StreamTable
from trickle.project.loader import load_project

EXAMPLES = Path(__file__).parents[2] / "examples"


@dataclass
class ExampleProject:
    """A copy of an example whose target is a given database; `spark_only` names tables PostgreSQL cannot parse."""

    name: str
    root: Path
    dsn: str
    spark_only: frozenset[str]
    project: Project = field(init=False)

    def __post_init__(self) -> None:
        shutil.copytree(EXAMPLES / self.name, self.root, ignore=shutil.ignore_patterns("lake", ".trickle", "target"))
        path = self.root / "trickle.yml"
        settings = yaml.safe_load(path.read_text(encoding="utf-8"))
        settings["targets"] = {
            "dev": {
                "connections": {self.name: {"dsn": self.dsn}},
                "spark": {"master": "local[2]", "conf": SPARK_CONF},
            }
        }
        path.write_text(yaml.safe_dump(settings), encoding="utf-8")
        self.execute(self.root / "seed.sql")
        self.project = Project.load(self.root)
        self._create_views()

    def execute(self, path: Path) -> None:
        """Run one file of statements."""
        with closing(psycopg2.connect(self.dsn)) as session, session.cursor() as cursor:
            session.autocommit = True
            cursor.execute(path.read_text(encoding="utf-8"))

    def rounds(self) -> list[Path]:
        """The files of changes in their order."""
        return sorted((self.root / "changes").glob("*.sql"))

    def run(self) -> RunReport:
        """Run once and insist that every table was refreshed."""
        report = self.project.run()
        assert report.ok, [run for run in report.tables if run.error]
        return report

    def differing_from_scratch(self) -> list[object]:
        """Tables that are not what their query gives in Spark."""
        return [verdict for verdict in self.project.verify() if not verdict.equal]

    def differing_from_postgres(self) -> dict[str, tuple[object, object]]:
        """Rows too many and rows missing in each table, against the same text run by PostgreSQL."""
        pairs = ((table.name.table, *self._both(table)) for table in self._portable())
        return {name: (ours - theirs, theirs - ours) for name, ours, theirs in pairs if ours != theirs}

    def _tables(self) -> list[StreamTable]:
        found = {table.name.table: table for table in load_project(self.root, None, {}, {}).tables}
        return [found[name] for name in self.project.names()]

    def _portable(self) -> list[StreamTable]:
        return [table for table in self._tables() if table.name.table not in self.spark_only]

    def _create_views(self) -> None:
        """Each table's own text as a view, so that one view may read another as tables do."""
        with closing(psycopg2.connect(self.dsn)) as session, session, session.cursor() as cursor:
            cursor.execute("create schema main")
            for table in self._portable():
                text = table.sql.replace(f"`{self.name}`.", "public.").replace("`", '"')
                cursor.execute(f'create view main."{table.name.table}" as {text}')

    def _both(self, table: StreamTable) -> tuple[Counter[tuple[object, ...]], Counter[tuple[object, ...]]]:
        arrow = self.project.table(table.name.table)
        ours = multiset(zip(*(column.to_pylist() for column in arrow.columns), strict=True))
        with closing(psycopg2.connect(self.dsn)) as session, session.cursor() as cursor:
            cursor.execute("set time zone 'UTC'")
            cursor.execute(f'select * from main."{table.name.table}"')
            return ours, multiset(cursor.fetchall())
