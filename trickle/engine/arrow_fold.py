"""Fold a few changes into a table with Arrow alone, without a JVM.

A row is a tuple of plain values: texts as bytes, times as integers, NaN as one sentinel and -0.0 as another, so that
two rows are equal exactly when the engine takes them for one. Files are searched by one well-chosen column first, by
all of them next, and only rows that pass are compared as tuples.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from trickle.model.files import FilePart, StoredRows
from trickle.model.schema import TableSchema, epoch_column, weight_column

MOST_CHANGES = 50_000

Row = tuple[Any, ...]
_NAN = object()
_NEGATIVE_ZERO = object()
_SEARCHABLE = (pa.types.is_integer, pa.types.is_binary, pa.types.is_boolean, pa.types.is_decimal)


@dataclass(frozen=True)
class NetChanges:
    """Consolidated changes: copies to take away of each row, and the rows to add, as often as they are added."""

    lost: Counter[Row]
    lost_rows: pa.Table
    gained: pa.Table


def suits(schema: TableSchema, changes: StoredRows) -> bool:
    """Whether the changes are few, and their columns such that Arrow compares them as Spark does."""
    nested = any("<" in column.type for column in schema.columns)
    searchable = any(column.type not in {"float", "double"} for column in schema.columns)
    return not nested and searchable and sum(part.rows for part in changes.parts) <= MOST_CHANGES


def net_changes(changes: StoredRows) -> NetChanges | None:
    """Sum the weights of equal rows; None where there is nothing to fold."""
    table = _log_rows(changes)
    if table is None:
        return None
    names = changes.schema.names
    totals: Counter[Row] = Counter()
    first: dict[Row, int] = {}
    rows = table.select(range(1, table.num_columns))
    for place, (row, weight) in enumerate(zip(_tuples(rows), table.column(0).to_pylist(), strict=True)):
        totals[row] += weight
        first.setdefault(row, place)
    lost = Counter({row: -weight for row, weight in totals.items() if weight < 0})
    gained = [first[row] for row, weight in totals.items() for _ in range(weight)]
    lost_rows = rows.take(pa.array([first[row] for row in lost], pa.int64()))
    return NetChanges(lost, lost_rows.rename_columns(names), rows.take(pa.array(gained, pa.int64())))


def holding(paths: Sequence[str], net: NetChanges) -> Iterator[tuple[str, pa.Table]]:
    """The files that may hold a lost row, with their rows."""
    if not net.lost:
        return
    names = net.lost_rows.column_names
    best = names[_best_column(net.lost_rows)]
    wanted = _plain(net.lost_rows.column(best)).unique()
    for path in paths:
        found = pc.is_in(_plain(read(path, [best]).column(0)), value_set=wanted)
        if pc.any(found).as_py():
            yield path, read(path, names)


def read(path: str, names: Sequence[str]) -> pa.Table:
    """Some columns of a file; a dot in a name would be taken for a path, so all are read where there is one."""
    with pq.ParquetFile(path) as file:
        dotted = any("." in name for name in file.schema_arrow.names)
        return (file.read() if dotted else file.read(columns=list(names))).select(list(names))


def without(rows: pa.Table, net: NetChanges, left: Counter[Row]) -> pa.Table:
    """Rows of one file minus the lost ones, which are counted off in `left`."""
    candidates = _candidates(rows, net.lost_rows)
    gone = []
    for place, row in zip(candidates, _tuples(rows.take(pa.array(candidates, pa.int64()))), strict=True):
        if left[row] > 0:
            left[row] -= 1
            gone.append(place)
    if not gone:
        return rows
    kept = pc.invert(pc.is_in(pa.array(range(rows.num_rows), pa.int64()), value_set=pa.array(gone, pa.int64())))
    return rows.filter(kept)


def _log_rows(changes: StoredRows) -> pa.Table | None:
    """Weight and columns of all changes in range."""
    tables = [table for part in changes.parts for table in _part_rows(part, changes.schema)]
    return pa.concat_tables(tables) if tables else None


def _part_rows(part: FilePart, schema: TableSchema) -> Iterator[pa.Table]:
    names = schema.names
    epoch, weight = epoch_column(names), weight_column(names)
    after, upto = part.epochs or (0, 0)
    for path in part.paths:
        with pq.ParquetFile(path) as file:
            log = file.read()
        epochs = log.column(epoch)
        log = log.filter(pc.and_(pc.greater(epochs, after), pc.less_equal(epochs, upto)))
        weights = pc.multiply(log.column(weight).cast(pa.int64()), part.sign)
        yield pa.table([weights, *(log.column(name) for name in names)], names=[weight, *names])


def _candidates(rows: pa.Table, lost: pa.Table) -> list[int]:
    """Places of rows each of whose searchable values occurs in that column of some lost row."""
    mask: pa.ChunkedArray | None = None
    for place in range(lost.num_columns):
        wanted = _plain(lost.column(place))
        if _searchable(wanted.type):
            found = pc.is_in(_plain(rows.column(place)), value_set=wanted.unique())
            mask = found if mask is None else pc.and_(mask, found)
    places: list[int] = pc.indices_nonzero(mask).to_pylist()
    return places


def _best_column(lost: pa.Table) -> int:
    """The searchable column with the most distinct values among the lost rows."""
    distinct = {
        place: pc.count_distinct(_plain(lost.column(place)), mode="all").as_py()
        for place in range(lost.num_columns)
        if _searchable(_plain(lost.column(place)).type)
    }
    return max(distinct, key=lambda place: (distinct[place], -place))


def _searchable(of: pa.DataType) -> bool:
    return any(test(of) for test in _SEARCHABLE)


def _plain(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Values without a unit, zone or encoding, that Python compares as they are stored."""
    of = values.type
    if pa.types.is_string(of) or pa.types.is_large_string(of):
        return values.cast(pa.binary())
    if pa.types.is_timestamp(of):
        return values.cast(pa.int64())
    if pa.types.is_date(of):
        return values.cast(pa.int32()).cast(pa.int64())
    return values


def _tuples(rows: pa.Table) -> Iterator[Row]:
    return zip(*(_values(_plain(column)) for column in rows.columns), strict=True)


def _values(values: pa.ChunkedArray) -> Iterable[Any]:
    found: list[Any] = values.to_pylist()
    if pa.types.is_floating(values.type):
        return [_exact(value) for value in found]
    return found


def _exact(value: float | None) -> object:
    """A float that equals itself and nothing else: NaN is one value, and -0.0 is not 0.0."""
    if value is None:
        return None
    if value != value:
        return _NAN
    return _NEGATIVE_ZERO if value == 0 and math.copysign(1, value) < 0 else value
