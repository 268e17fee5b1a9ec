"""A project on a real database, and the two oracles its tables are compared with."""

from __future__ import annotations

import datetime
import decimal
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg2

from trickle import Project
from trickle.model.report import RunReport

SPARK_CONF = {
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
}


@dataclass
class Workbench:
    """A project folder over one database."""

    root: Path
    dsn: str
    sources: Sequence[str]
    tables: Mapping[str, str]
    dialect: str = "spark"
    config: Mapping[str, str] = field(default_factory=dict)
    lake: str = "lake"

    def __post_init__(self) -> None:
        conf = "".join(f"\n        {key}: '{value}'" for key, value in SPARK_CONF.items())
        self._write(
            "trickle.yml",
            f"name: bench\ndialect: {self.dialect}\nlake: ./{self.lake}\ntarget: dev\ntargets:\n  dev:\n"
            f"    connections:\n      shop:\n        dsn: {self.dsn!r}\n"
            f"    spark:\n      master: 'local[2]'\n      conf:{conf}\n",
        )
        names = "".join(f"      - {name!r}\n" for name in self.sources)
        self._write(
            "sources/shop.yml",
            f"sources:\n  - name: shop\n    connection: shop\n    schema: public\n    tables:\n{names}",
        )
        for name, sql in self.tables.items():
            self.define(name, sql)
        self._project: Project | None = None

    def define(self, name: str, sql: str) -> None:
        """Write one stream table; `{orders}` stands for a source, `{@other}` for another stream table."""
        config = self.config.get(name, "")
        head = f"{{{{ config({config}) }}}}\n" if config else ""
        self._write(f"tables/{name}.sql", head + self._jinja(sql))
        self._project = None

    def _jinja(self, sql: str) -> str:
        for source in self.sources:
            sql = sql.replace("{" + source + "}", f"{{{{ source('shop', {source!r}) }}}}")
        for table in self.tables:
            sql = sql.replace("{@" + table + "}", f"{{{{ ref('{table}') }}}}")
        return sql

    def _write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    @property
    def project(self) -> Project:
        """The project; its Spark session is shared by all projects of the process."""
        if self._project is None:
            self._project = Project.load(self.root)
        return self._project

    def run(self, **options: Any) -> RunReport:
        """Run once and insist that it went well."""
        report = self.project.run(**options)
        assert report.ok, report
        return report

    def modes(self, **options: Any) -> dict[str, str]:
        """Run once; the mode of each table."""
        return {run.name: str(run.mode) for run in self.run(**options).tables}

    def cli(self, *arguments: str, failpoint: str = "") -> subprocess.CompletedProcess[str]:
        """Run the command line in a process of its own."""
        environment = {**os.environ, "TRICKLE_FAILPOINT": failpoint}
        command = [sys.executable, "-m", "trickle", *arguments, "--project-dir", str(self.root)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)

    def execute(self, *statements: str) -> None:
        """Run each statement in a transaction of its own."""
        connection = psycopg2.connect(self.dsn)
        connection.autocommit = True
        try:
            with connection.cursor() as cursor:
                for statement in statements:
                    cursor.execute(statement)
        finally:
            connection.close()

    def rows(self, table: str) -> Counter[tuple[object, ...]]:
        """A stream table as any reader of the lake sees it."""
        arrow = self.project.table(table)
        return (
            multiset(zip(*(column.to_pylist() for column in arrow.columns), strict=True))
            if arrow.columns
            else Counter()
        )

    def postgres(self, sql: str) -> Counter[tuple[object, ...]]:
        """The same query in PostgreSQL."""
        for table, text in reversed(list(self.tables.items())):
            sql = sql.replace("{@" + table + "}", f"({text})")
        for source in self.sources:
            quoted = '"' + source.replace('"', '""') + '"'
            sql = sql.replace("{" + source + "}", quoted)
        connection = psycopg2.connect(self.dsn)
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET TIME ZONE 'UTC'")
                cursor.execute(sql)
                return multiset(cursor.fetchall())
        finally:
            connection.close()

    def check(self, *, postgres: bool = True) -> None:
        """Every table equals its query from scratch in Spark, and in PostgreSQL."""
        for verdict in self.project.verify():
            assert verdict.equal, verdict
        for name, sql in self.tables.items() if postgres else ():
            assert self.rows(name) == self.postgres(sql), name


def multiset(rows: Iterable[Sequence[object]]) -> Counter[tuple[object, ...]]:
    """Rows as a multiset, with values in one form whichever driver they came through."""
    return Counter(tuple(_plain(value) for value in row) for row in rows)


def _plain(value: object) -> object:
    if isinstance(value, decimal.Decimal):
        return value.normalize() + 0
    if isinstance(value, float):
        return decimal.Decimal(repr(value)).normalize() + 0 if value == value else "NaN"
    if isinstance(value, int) and not isinstance(value, bool):
        return decimal.Decimal(value)
    if isinstance(value, memoryview):
        return bytes(value)
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(datetime.UTC)
    if isinstance(value, list):
        return tuple(_plain(item) for item in value)
    return value
