"""Two small tables and ways to read a query over them."""

from __future__ import annotations

import pytest

from trickle.errors import Location, NotDifferentiableError, ProjectError
from trickle.model.names import RelationName
from trickle.model.schema import Column, TableSchema
from trickle.model.stream_table import Dialect, StreamTable
from trickle.query.lower import lower
from trickle.query.parse import Query, parse
from trickle.query.qualify import qualify

ORDERS = RelationName("shop", "orders")
CUSTOMERS = RelationName("shop", "customers")
SCHEMAS = {
    ORDERS: TableSchema(
        (
            Column("id", "int"),
            Column("cust", "int"),
            Column("Amount", "decimal(12,2)"),
            Column("ratio", "double"),
            Column("tags", "map<string,string>"),
        )
    ),
    CUSTOMERS: TableSchema((Column("id", "int"), Column("region", "string"), Column("since", "date"))),
}


def stream_table(sql: str, dialect: str = "spark", raw: str = "") -> StreamTable:
    return StreamTable(RelationName("main", "t"), sql, Location("tables/t.sql"), raw=raw, dialect=Dialect(dialect))


def read(sql: str, dialect: str = "spark", raw: str = "") -> Query:
    table = stream_table(sql, dialect, raw)
    return qualify(parse(table), SCHEMAS, table)


def error_of(sql: str, dialect: str = "spark", raw: str = "") -> ProjectError:
    with pytest.raises(ProjectError) as caught:
        read(sql, dialect, raw)
    return caught.value


def refusal_of(sql: str) -> NotDifferentiableError:
    with pytest.raises(NotDifferentiableError) as caught:
        lower(read(sql))
    return caught.value
