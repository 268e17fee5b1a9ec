"""The same plans and queries as DuckDB runs, run by Spark; columns must be those their relation declares."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from decimal import Decimal

from pyspark.sql import SparkSession

from tests.differentiate.duck_database import DuckDatabase, Row
from tests.spark_session import spark_session
from trickle.model.schema import Column
from trickle.query.parse import Query

SMALL = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.leafNodeDefaultParallelism": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
"""For tables of a few rows, where compiling a statement would take longer than running it."""


def _literal(value: object, type_: str) -> str:
    if value is None:
        return f"cast(null as {type_})"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"
    if isinstance(value, tuple):
        element = type_.removeprefix("array<").removesuffix(">")
        return f"cast(array({', '.join(_literal(v, element) for v in value)}) as {type_})"
    if isinstance(value, bool | int | Decimal | float | date):
        return f"cast('{value}' as {type_})"
    raise NotImplementedError(f"no literal for {value!r}")


def _frozen(value: object) -> object:
    return tuple(_frozen(v) for v in value) if isinstance(value, list | tuple) else value


class SparkDatabase(DuckDatabase):
    """One stream table, refreshed by Spark."""

    session: SparkSession

    def _view(self, name: str, columns: Iterable[Column], rows: Iterable[Row]) -> None:
        """Rows as literals: a local relation, which needs no job and no Python worker to read."""
        columns, rows = list(columns), list(rows)
        names = ", ".join(f"`{c.name.replace('`', '``')}`" for c in columns)
        listed = rows or [tuple(None for _ in columns)]
        values = ", ".join(
            f"({', '.join(_literal(v, c.type) for v, c in zip(row, columns, strict=True))})" for row in listed
        )
        where = "" if rows else " where false"
        frame = self.session.sql(f"select * from values {values} as v({names}){where}")
        frame.createOrReplaceTempView(f"`{name}`")

    def _execute(self, sql: str) -> list[Row]:
        frame = self.session.sql(sql)
        self.columns = [(f.name, f.dataType.simpleString()) for f in frame.schema]
        return [_frozen(tuple(row)) for row in frame.collect()]  # type: ignore[misc]

    def _keep(self, name: str, sql: str) -> None:
        """A view that is computed at once, as a stage is."""
        frame = self.session.sql(sql).localCheckpoint()
        frame.createOrReplaceTempView(f"`{name}`")

    def check_columns(self, expected: tuple[Column, ...]) -> None:
        found = [c for c in self.columns if c[0] != self.plan.weight]
        assert [name for name, _ in found] == [c.name for c in expected]
        assert all(type_ == c.type for (_, type_), c in zip(found, expected, strict=True) if c.type)


def in_session(session: SparkSession) -> Callable[[Query], SparkDatabase]:
    """Makes databases whose statements one session runs."""

    def new_database(query: Query) -> SparkDatabase:
        database = SparkDatabase(query)
        database.session = session
        return database

    return new_database


def spark_databases() -> Callable[[Query], SparkDatabase]:
    """Databases of a session of their own, which ends with the process."""
    return in_session(spark_session(SMALL))
