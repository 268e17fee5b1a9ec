"""Stored rows in plain Python: what goes into a lake and what comes out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from trickle.lake.types import arrow_schema
from trickle.model.files import StoredRows
from trickle.model.names import RelationName
from trickle.model.ports import SourceChanges, Stamp
from trickle.model.schema import Column, TableSchema, weight_column

ORDERS = RelationName("shop", "orders")
SCHEMA = TableSchema((Column("id", "bigint", nullable=False), Column("note", "string")), key=("id",))

Row = tuple[object, ...]


def stamp(epoch: int, fingerprint: str = "") -> Stamp:
    return Stamp(epoch, f"run-{epoch}", fingerprint, "TEST", "0/0")


def reader(rows: Sequence[Row], schema: pa.Schema) -> pa.RecordBatchReader:
    columns = list(zip(*rows, strict=True)) if rows else [[] for _ in schema]
    arrays = [pa.array(list(values), field.type) for values, field in zip(columns, schema, strict=True)]
    table = pa.Table.from_arrays(arrays, schema=schema)
    return pa.RecordBatchReader.from_batches(schema, table.to_batches())


def copied(rows: Sequence[Row], schema: TableSchema = SCHEMA) -> pa.RecordBatchReader:
    return reader(rows, arrow_schema(schema))


def changed(rows: Sequence[Row], schema: TableSchema = SCHEMA, *, truncated: bool = False) -> SourceChanges:
    """Changes whose rows lead with their weight."""
    own = arrow_schema(schema)
    weight = pa.field(weight_column(schema.names), pa.int32())
    return SourceChanges(reader(rows, pa.schema([weight, *own])), truncated)


def counted(rows: StoredRows) -> Counter[Row]:
    """The Z-set behind stored rows, read file by file as the engine would."""
    total: Counter[Row] = Counter()
    for part in rows.parts:
        seen = 0
        for row in _rows(part.paths):
            if part.epochs is None:
                total[row] += part.sign
                seen += 1
            elif part.epochs[0] < row[0] <= part.epochs[1]:  # type: ignore[operator]
                total[row[2:]] += part.sign * row[1]  # type: ignore[operator]
                seen += 1
        assert seen == part.rows
    return Counter({row: weight for row, weight in total.items() if weight})


def _rows(paths: Sequence[str]) -> Iterator[Row]:
    for path in paths:
        with pq.ParquetFile(path) as file:
            yield from zip(*(column.to_pylist() for column in file.read().columns), strict=True)
