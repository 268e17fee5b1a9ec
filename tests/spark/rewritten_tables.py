"""Small tables with NULLs and duplicates, as schemas, as Spark views and as DuckDB tables."""

from __future__ import annotations

from collections import Counter
from typing import Any

from trickle.errors import Location
from trickle.model.names import RelationName
from trickle.model.schema import Column, TableSchema
from trickle.model.stream_table import Dialect, StreamTable
from trickle.query.canonical import canonical_sql
from trickle.query.parse import parse
from trickle.query.qualify import qualify

COLUMNS = {
    "a": "k int, x int, v int",
    "b": "x2 int, k int, w string",
    "c": "w2 string, k int, z int, j int",
    "d": "j int, k int",
    "e": "k int, x int",
    "n": "id int, p int, tags array<int>",
}
ROWS = {
    "a": "(1, 10, 100), (2, 20, null), (null, 30, 300), (3, null, 1), (3, null, 1), (4, 7, 2)",
    "b": "(7, 1, 'p'), (8, 1, 'q'), (9, 4, 'r'), (null, null, 's'), (9, 4, 'r')",
    "c": "('m', 1, 5, 1), ('n', 4, 6, 2), ('o', 5, 7, null), (null, 1, 10, 9)",
    "d": "(1, 1), (2, 4), (null, 9), (2, null)",
    "e": "(0, 0)",
    "n": "(1, null, array(1, 2)), (2, 1, array()), (3, 2, null), (4, 2, array(5, null))",
}
SCHEMAS = {
    RelationName("s", name): TableSchema(tuple(Column(*c.strip().split(" ")) for c in columns.split(",")))
    for name, columns in COLUMNS.items()
}
Rows = Counter[tuple[object, ...]]


def canonical(sql: str, dialect: str = "spark") -> str:
    table = StreamTable(RelationName("main", "t"), sql, Location("tables/t.sql"), dialect=Dialect(dialect))
    return canonical_sql(qualify(parse(table), SCHEMAS, table))


def as_views(sql: str) -> str:
    """A query over `s.a` and the others, reading the views that canonical SQL reads."""
    for name in COLUMNS:
        sql = sql.replace(f"s.{name} ", f"`s.{name}` {name} ").replace(f"s.{name}/", f"`s.{name}` ")
    return sql


def in_spark(session: Any, sql: str) -> tuple[list[str], Rows]:
    frame = session.sql(sql)
    return frame.columns, Counter(tuple(map(_hashable, row)) for row in frame.collect())


def in_duckdb(connection: Any, sql: str) -> Rows:
    return Counter(connection.execute(sql).fetchall())


def _hashable(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value
