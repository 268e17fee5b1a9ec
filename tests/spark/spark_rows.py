"""Rows of written files in plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from trickle.model.schema import Column, TableSchema

Row = tuple[object, ...]

PAIRS = TableSchema((Column("k", "bigint"), Column("v", "string")))


def rows_of(paths: Sequence[str]) -> list[Row]:
    if not paths:
        return []
    table = pa.concat_tables([pq.ParquetFile(path).read() for path in paths])
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def bag(paths: Sequence[str]) -> Counter[Row]:
    return Counter(rows_of(paths))


def schema(**types: str) -> TableSchema:
    return TableSchema(tuple(Column(name, of) for name, of in types.items()))
