"""Spark SQL types as Arrow and Delta types, and whole schemas either way."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
from deltalake import Schema

from trickle.errors import ProjectError
from trickle.model.schema import Column, TableSchema, epoch_column, weight_column

KEY = "trickle.key"
REQUIRED = "trickle.required"

_ARROW = {
    "boolean": pa.bool_(),
    "tinyint": pa.int8(),
    "smallint": pa.int16(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}
_DELTA = {"tinyint": "byte", "smallint": "short", "int": "integer", "bigint": "long"}
_SPARK = {delta: spark for spark, delta in _DELTA.items()}
_DECIMAL = re.compile(r"decimal\((\d+),\s*(-?\d+)\)")
_WORD = re.compile(r"`((?:[^`]|``)*)`|[^<>,:()`]+(?:\([^)]*\))?")


class _Type:
    """One Spark type, parsed: a primitive, an array or a struct."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def parse(self) -> tuple[pa.DataType, Any]:
        """The Arrow type and the JSON form of the Delta type."""
        found = self._type()
        if self._at != len(self._text):
            raise _unstorable(self._text)
        return found

    def _type(self) -> tuple[pa.DataType, Any]:
        word = self._word().strip().lower()
        if word == "array":
            self._take("<")
            arrow, delta = self._type()
            self._take(">")
            return pa.list_(arrow), {"type": "array", "elementType": delta, "containsNull": True}
        if word == "struct":
            return self._struct()
        return self._primitive(word)

    def _struct(self) -> tuple[pa.DataType, Any]:
        self._take("<")
        fields = list(self._fields())
        self._take(">")
        arrow = pa.struct([pa.field(name, of) for name, (of, _) in fields])
        return arrow, {"type": "struct", "fields": [_field(name, of, {}) for name, (_, of) in fields]}

    def _fields(self) -> Iterator[tuple[str, tuple[pa.DataType, Any]]]:
        while True:
            name = self._word().strip()
            self._take(":")
            yield name, self._type()
            if not self._text.startswith(",", self._at):
                return
            self._take(",")

    def _primitive(self, word: str) -> tuple[pa.DataType, Any]:
        if word in _ARROW:
            return _ARROW[word], _DELTA.get(word, word)
        match = _DECIMAL.fullmatch(word)
        if match and 0 < int(match[1]) <= 38 and 0 <= int(match[2]) <= int(match[1]):
            return pa.decimal128(int(match[1]), int(match[2])), f"decimal({match[1]},{match[2]})"
        raise _unstorable(self._text)

    def _word(self) -> str:
        match = _WORD.match(self._text, self._at)
        if match is None:
            raise _unstorable(self._text)
        self._at = match.end()
        return match[0] if match[1] is None else match[1].replace("``", "`")

    def _take(self, char: str) -> None:
        if not self._text.startswith(char, self._at):
            raise _unstorable(self._text)
        self._at += 1


def arrow_schema(schema: TableSchema) -> pa.Schema:
    """The Arrow schema of a relation's rows; every column may be null."""
    return pa.schema([pa.field(column.name, _Type(column.type).parse()[0]) for column in schema.columns])


def log_schema(schema: TableSchema) -> TableSchema:
    """The columns of a relation's change log: epoch, weight, then its own."""
    names = schema.names
    meta = (Column(epoch_column(names), "bigint"), Column(weight_column(names), "int"))
    return TableSchema(meta + schema.columns, schema.key)


def without_log_columns(log: TableSchema) -> TableSchema:
    """The relation's own columns of a change log."""
    return TableSchema(log.columns[2:], log.key)


def delta_schema(schema: TableSchema) -> Schema:
    """The Delta schema. Keys and NOT NULL are noted beside the columns, where no reader enforces them."""
    fields = []
    for column in schema.columns:
        notes: dict[str, Any] = {} if column.nullable else {REQUIRED: True}
        if column.name in schema.key:
            notes[KEY] = schema.key.index(column.name)
        fields.append(_field(column.name, _Type(column.type).parse()[1], notes))
    return Schema.from_json(json.dumps({"type": "struct", "fields": fields}))


def table_schema(schema: Schema) -> TableSchema:
    """The relation's schema as it was given to `delta_schema`."""
    fields = json.loads(schema.to_json())["fields"]
    columns = tuple(
        Column(field["name"], _spark(field["type"]), not field["metadata"].get(REQUIRED, False)) for field in fields
    )
    keys = sorted((field["metadata"][KEY], field["name"]) for field in fields if KEY in field["metadata"])
    return TableSchema(columns, tuple(name for _, name in keys))


def same_columns(left: TableSchema, right: TableSchema) -> bool:
    """Whether two schemas hold the same columns of the same types in the same order."""
    return delta_types(left) == delta_types(right)


def delta_types(schema: TableSchema) -> list[tuple[str, str]]:
    return [(column.name, json.dumps(_Type(column.type).parse()[1])) for column in schema.columns]


def _field(name: str, of: Any, notes: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": name, "type": of, "nullable": True, "metadata": dict(notes)}


def _spark(of: Any) -> str:
    if isinstance(of, str):
        return _SPARK.get(of, of)
    if of["type"] == "array":
        return f"array<{_spark(of['elementType'])}>"
    if of["type"] == "struct":
        inner = ",".join(f"{_quoted(field['name'])}:{_spark(field['type'])}" for field in of["fields"])
        return f"struct<{inner}>"
    raise _unstorable(str(of["type"]))


def _quoted(name: str) -> str:
    plain = re.fullmatch(r"\w+", name)
    return name if plain else "`" + name.replace("`", "``") + "`"


def _unstorable(text: str) -> ProjectError:
    return ProjectError(
        f'type "{text}" cannot be stored in the lake',
        hint="cast the column to a number, string, boolean, binary, date, timestamp, array or struct",
    )
