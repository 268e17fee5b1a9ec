"""Fold changes into a table: rewrite the files that lose rows, and leave the others alone.

A few changes are folded with Arrow in this process; many, or such over nested types, by Spark. Rows that are only added
go into a new file together with the table's smallest one, so that many small folds do not leave many small files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from trickle.engine import arrow_fold
from trickle.engine.multiset import column, consolidated, matching
from trickle.engine.output import weights, write_arrow, write_table
from trickle.engine.views import FEW_CHANGES, files, only_plain, plain, weighted
from trickle.errors import CorruptLakeError
from trickle.model.files import FilePart, StoredRows, WrittenFiles
from trickle.model.ports import Folded
from trickle.model.schema import weight_column

SMALL_TABLE = 200_000
SMALL_FILE = 50_000


def fold(session: Callable[[], SparkSession], base: StoredRows, changes: StoredRows, directory: str) -> Folded:
    """New files with the changes in them, and the files they replace; asks for a session only when it needs one."""
    names = base.schema.names
    counted = [weights(part, names) for part in changes.parts]
    inserted, deleted = sum(w.inserted for w in counted), sum(w.deleted for w in counted)
    paths = tuple(path for part in only_plain(base).parts for path in part.paths)
    if arrow_fold.suits(base.schema, changes):
        folded = _fold_here(base, changes, paths, directory)
    else:
        spark = session()
        touched = _touched(spark, base, changes, paths) if deleted else ()
        rewritten = StoredRows(base.name, base.schema, (FilePart(touched), *changes.parts))
        folded = Folded(write_table(plain(spark, rewritten), directory), touched)
    before = sum(_rows(path) for path in folded.removed)
    if folded.files.rows != before + inserted - deleted:
        raise CorruptLakeError(
            f'"{base.name}": folding {inserted} rows in and {deleted} out of {before} left {folded.files.rows}'
        )
    written = folded.files
    return Folded(WrittenFiles(directory, written.paths, base.schema, written.rows, inserted, deleted), folded.removed)


def _fold_here(base: StoredRows, changes: StoredRows, paths: Sequence[str], directory: str) -> Folded:
    net = arrow_fold.net_changes(changes)
    if net is None:
        return Folded(WrittenFiles(directory, (), base.schema, 0), ())
    left: Counter[arrow_fold.Row] = Counter(net.lost)
    rewritten: dict[str, pa.Table] = {}
    for path, rows in arrow_fold.holding(paths, net):
        kept = arrow_fold.without(rows, net, left)
        if kept.num_rows < rows.num_rows:
            rewritten[path] = kept
    if +left:
        raise CorruptLakeError(f'"{base.name}": {(+left).total()} rows to be removed are not there')
    tables = list(rewritten.values())
    if net.gained.num_rows:
        tables.append(_with_smallest(net.gained, paths, rewritten))
    return Folded(write_arrow(tables, base.schema, directory), tuple(rewritten))


def _with_smallest(gained: pa.Table, paths: Sequence[str], rewritten: dict[str, pa.Table]) -> pa.Table:
    """Added rows, together with those of the smallest untouched file where that is small."""
    others = [path for path in paths if path not in rewritten]
    smallest = min(others, key=_rows, default=None)
    if smallest is None or _rows(smallest) > SMALL_FILE:
        return gained
    rows = arrow_fold.read(smallest, gained.column_names)
    rewritten[smallest] = rows
    return pa.concat_tables([rows.cast(gained.schema), gained])


def _touched(session: SparkSession, base: StoredRows, changes: StoredRows, paths: tuple[str, ...]) -> tuple[str, ...]:
    """The files that hold a row some change takes away; all of them where looking would cost as much as rewriting."""
    few = sum(part.rows for part in changes.parts) <= FEW_CHANGES
    if len(paths) <= 1 or not few or sum(part.rows for part in base.parts) <= SMALL_TABLE:
        return paths
    names = base.schema.names
    weight = weight_column(names)
    net = consolidated(weighted(session, changes, weight), names, weight)
    frame = files(session, base.schema, paths)
    place = weight
    placed = frame.withColumn(place, frame.metadataColumn("_metadata").getField("file_path"))
    hits = matching(placed, net.where(column(weight) < 0), names, "left_semi").select(column(place)).distinct()
    found = {unquote(urlsplit(row[0]).path) for row in hits.collect()}
    if not found <= set(paths):
        raise CorruptLakeError(f'"{base.name}": Spark read files the lake does not know')
    return tuple(path for path in paths if path in found)


def _rows(path: str) -> int:
    return int(pq.read_metadata(path).num_rows)
