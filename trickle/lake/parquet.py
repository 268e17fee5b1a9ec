"""Parquet files of bounded size, and the statistics Delta keeps about them."""

from __future__ import annotations

import datetime as dt
import json
import os
import uuid
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake.transaction import AddAction

from trickle.errors import CorruptLakeError
from trickle.model.schema import TableSchema

FILE_ROWS = 500_000
GROUP_ROWS = 125_000
GROUP_BYTES = 64 << 20

_COUNTABLE = frozenset({"tinyint", "smallint", "int", "bigint", "date", "string"})
_LONGEST_TEXT = 64


def write_files(directory: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> tuple[str, ...]:
    """Write batches into files of at most `FILE_ROWS` rows; no rows, no file."""
    paths: list[str] = []
    writer: pq.ParquetWriter | None = None
    held = 0
    try:
        for group in _groups(schema, batches):
            if writer is not None and held + group.num_rows > FILE_ROWS:
                writer.close()
                writer = None
            if writer is None:
                paths.append(new_file(directory))
                writer, held = _writer(paths[-1], schema), 0
            writer.write_table(group)
            held += group.num_rows
    finally:
        if writer is not None:
            writer.close()
    return tuple(paths)


def new_file(directory: str) -> str:
    os.makedirs(directory, exist_ok=True)
    return os.path.join(directory, f"{uuid.uuid4().hex}.zstd.parquet")


def _writer(path: str, schema: pa.Schema) -> pq.ParquetWriter:
    return pq.ParquetWriter(path, schema, compression="zstd", coerce_timestamps="us", store_schema=False)


def _groups(schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Batches gathered, or cut, to the size of a row group."""
    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in _pieces(batches):
        if held and (rows + batch.num_rows > GROUP_ROWS or size > GROUP_BYTES):
            yield pa.Table.from_batches(held, schema)
            held, rows, size = [], 0, 0
        held.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
    if rows:
        yield pa.Table.from_batches(held, schema)


def _pieces(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for start in range(0, batch.num_rows, GROUP_ROWS):
            yield batch.slice(start, GROUP_ROWS)


def read_batches(paths: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """All rows of some files, a batch at a time."""
    for path in paths:
        with pq.ParquetFile(path) as file:
            yield from file.iter_batches()


def conform(batch: pa.RecordBatch, schema: pa.Schema, what: str) -> pa.RecordBatch:
    """The batch with exactly these columns, found by name and cast without loss."""
    places = [batch.schema.get_field_index(name) for name in schema.names]
    if -1 in places:
        missing = ", ".join(name for name, place in zip(schema.names, places, strict=True) if place == -1)
        raise CorruptLakeError(f"{what}: rows arrive without column {missing}")
    arrays = [batch.column(place).cast(field.type) for place, field in zip(places, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def add_action(table: str, path: str, schema: TableSchema) -> AddAction:
    """Announce a file to Delta, with what its footer tells about its values."""
    status = os.stat(path)
    return AddAction(
        path=os.path.relpath(path, table).replace(os.sep, "/"),
        size=status.st_size,
        partition_values={},
        modification_time=int(status.st_mtime * 1000),
        data_change=True,
        stats=json.dumps(_statistics(pq.read_metadata(path), schema)),
    )


def _statistics(footer: pq.FileMetaData, schema: TableSchema) -> dict[str, Any]:
    """Row count, and bounds of columns whose order every reader agrees on (so no floats, no long texts)."""
    stats: dict[str, Any] = {"numRecords": footer.num_rows, "minValues": {}, "maxValues": {}, "nullCount": {}}
    types = {column.name: column.type for column in schema.columns}
    for place in range(footer.num_columns):
        leaf = footer.schema.column(place)
        if leaf.path != leaf.name or types.get(leaf.name) not in _COUNTABLE:
            continue
        chunks = [footer.row_group(group).column(place).statistics for group in range(footer.num_row_groups)]
        if all(chunk is not None and chunk.has_null_count for chunk in chunks):
            stats["nullCount"][leaf.name] = sum(chunk.null_count for chunk in chunks)
            _bounds(stats, leaf.name, chunks, footer.num_rows)
    return stats


def _bounds(stats: dict[str, Any], name: str, chunks: list[Any], rows: int) -> None:
    """Note the bounds of one column where each row group with values has them."""
    if stats["nullCount"][name] == rows:
        return
    known = [chunk for chunk in chunks if chunk.has_min_max]
    if any(chunk.num_values and not chunk.has_min_max for chunk in chunks):
        return
    try:
        low, high = _json(min(chunk.min for chunk in known)), _json(max(chunk.max for chunk in known))
    except (ValueError, OverflowError):  # a date Python cannot hold
        return
    if low is not None and high is not None:
        stats["minValues"][name], stats["maxValues"][name] = low, high


def _json(value: object) -> int | str | None:
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, str):
        return value if len(value.encode()) <= _LONGEST_TEXT else None
    return value if isinstance(value, int) else None
