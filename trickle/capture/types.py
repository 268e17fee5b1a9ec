"""How a PostgreSQL type is stored: its Spark type, the expression that reads it, and what of it is refused.

| PostgreSQL | Spark | rule |
|---|---|---|
| bool, int2/4/8, float4/8, bytea | boolean, smallint/int/bigint, float/double, binary | as it is |
| numeric(p,s) | decimal(p,s) | p above 38 is refused |
| numeric | decimal(38,18) | a value that does not fit, NaN and ±Infinity are refused, never rounded |
| date, timestamp, timestamptz | date, timestamp_ntz, timestamp | ±infinity and years outside 1..9999 are refused |
| oid | bigint | |
| array of the plain types or of text-like types | array<...> | one dimension counted from 1, others are refused |
| domain | as its base type | |
| composite, reg*, aclitem, money | refused | their text changes when something else changes |
| everything else | string | as `::text` prints it, under pinned session settings |
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import pyarrow as pa
from psycopg2 import sql

from trickle.model.schema import TableSchema, weight_column

_PLAIN = {
    "bool": "boolean",
    "int2": "smallint",
    "int4": "int",
    "int8": "bigint",
    "float4": "float",
    "float8": "double",
    "bytea": "binary",
}
_DATED = {"date": "date", "timestamp": "timestamp_ntz", "timestamptz": "timestamp"}
_ARROW = {
    "boolean": pa.bool_(),
    "smallint": pa.int16(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "binary": pa.binary(),
    "string": pa.string(),
    "date": pa.date32(),
    "timestamp_ntz": pa.timestamp("us"),
    "timestamp": pa.timestamp("us", tz="UTC"),
}
_UNSTABLE = ("aclitem", "money")
_MAX_PRECISION = 38
_FREE_SCALE = 18


class Reading(StrEnum):
    """How a column is read and checked."""

    PLAIN = "plain"
    """Arrives as it is."""
    TEXT = "text"
    """Cast to text."""
    NUMBER = "number"
    """Arrives as text and becomes an exact decimal."""
    DATED = "dated"
    """Checked against the years 1 to 9999."""
    OID = "oid"
    """Cast to bigint, because oids are unsigned."""
    LIST = "list"
    """An array of plain elements, with its bounds checked."""
    TEXT_LIST = "text_list"
    """An array whose elements are cast to text, with its bounds checked."""


@dataclass(frozen=True, slots=True)
class PgType:
    """A type as the catalog has it, domains resolved; `name` is empty outside pg_catalog."""

    name: str
    kind: str
    typmod: int = -1
    element: PgType | None = None
    printed: str = ""


@dataclass(frozen=True, slots=True)
class Storage:
    """The Spark type of a column and the way its values are read."""

    type: str
    reading: Reading

    @property
    def arrow(self) -> pa.DataType:
        """The Arrow type values arrive in the lake with."""
        return arrow_type(self.type)

    def expression(self, reference: sql.Composable) -> sql.Composable:
        """The SELECT expression that reads the column."""
        cast = {Reading.TEXT: "{}::text", Reading.NUMBER: "{}::text", Reading.OID: "{}::bigint"}
        cast[Reading.TEXT_LIST] = "{}::text[]"
        return sql.SQL(cast.get(self.reading, "{}")).format(reference)

    def guard(self, reference: sql.Composable) -> sql.Composable | None:
        """A condition that holds for values whose stored form would not be exact."""
        if self.reading not in (Reading.LIST, Reading.TEXT_LIST):
            return None
        return sql.SQL("coalesce(array_ndims({0}) > 1 OR array_lower({0}, 1) <> 1, false)").format(reference)


def storage(pg: PgType) -> Storage | str:
    """How a type is stored, or why it is refused."""
    refusal = _refusal(pg)
    if refusal:
        return refusal
    if pg.name == "numeric":
        return _decimal(pg.typmod)
    if pg.name in _PLAIN:
        return Storage(_PLAIN[pg.name], Reading.PLAIN)
    if pg.name in _DATED:
        return Storage(_DATED[pg.name], Reading.DATED)
    if pg.name == "oid":
        return Storage("bigint", Reading.OID)
    if pg.element is not None:
        return _array(pg.element)
    return Storage("string", Reading.TEXT)


def _refusal(pg: PgType) -> str:
    inner = pg.element or pg
    if inner.kind == "c":
        return f"composite type {pg.printed} has no exact form in the lake"
    if inner.kind == "p" or inner.name.startswith("reg") or inner.name in _UNSTABLE:
        return f"type {pg.printed} prints differently when settings or other objects change"
    return ""


def _decimal(typmod: int) -> Storage | str:
    """decimal for numeric(p,s); a negative scale gains digits before the point, a scale above p behind it."""
    if typmod < 0:
        return Storage(f"decimal({_MAX_PRECISION},{_FREE_SCALE})", Reading.NUMBER)
    precision = (typmod - 4) >> 16 & 0xFFFF
    scale = ((typmod - 4 & 0x7FF) ^ 1024) - 1024
    digits = max(precision - min(scale, 0), scale)
    if digits > _MAX_PRECISION:
        return f"numeric({precision},{scale}) has more than {_MAX_PRECISION} digits"
    return Storage(f"decimal({digits},{max(scale, 0)})", Reading.NUMBER)


def _array(element: PgType) -> Storage:
    if element.name in _PLAIN and element.name != "bytea":
        return Storage(f"array<{_PLAIN[element.name]}>", Reading.LIST)
    textual = element.kind == "e" or element.name in ("text", "varchar", "bpchar", "name", "uuid", "json", "jsonb")
    return Storage("array<string>", Reading.TEXT_LIST) if textual else Storage("string", Reading.TEXT)


def arrow_type(spark: str) -> pa.DataType:
    """The Arrow type of a Spark type that `storage` gives."""
    if spark.startswith("array<"):
        return pa.list_(arrow_type(spark[6:-1]))
    if spark.startswith("decimal("):
        precision, scale = spark[8:-1].split(",")
        return pa.decimal128(int(precision), int(scale))
    return _ARROW[spark]


def arrow_schema(schema: TableSchema) -> pa.Schema:
    """The schema of a copy of a table with these columns."""
    return pa.schema([pa.field(column.name, arrow_type(column.type)) for column in schema.columns])


def change_schema(schema: TableSchema) -> pa.Schema:
    """The schema of the changes of a table: its weight column, then its columns."""
    weight = pa.field(weight_column(schema.names), pa.int32(), nullable=False)
    return pa.schema([weight, *arrow_schema(schema)])
