"""Stored files as DataFrames and temporary views: explicit schemas, no listing, no inference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name Spark's users know

from trickle.engine.multiset import applied, column, consolidated, quoted, repeated, union, weigh
from trickle.errors import CorruptLakeError
from trickle.model.files import FilePart, StoredRows
from trickle.model.ports import View
from trickle.model.schema import Column, TableSchema, epoch_column, weight_column

FEW_CHANGES = 200_000


def register(session: SparkSession, views: Iterable[View], *, stored: bool = False) -> None:
    """Give stored rows their names in SQL; with `stored`, what has to be computed for them is computed beforehand."""
    for view in views:
        frame = frame_of(session, view)
        if stored and not view.rows.plain:
            frame = frame.localCheckpoint(eager=False)
        frame.createOrReplaceTempView(quoted(view.name))


def frame_of(session: SparkSession, view: View, needed: SparkColumn | None = None) -> DataFrame:
    """The rows of a view; those that are not needed may be left out."""
    if not view.weight:
        return plain(session, view.rows)
    if view.settled:
        return weigh(plain(session, view.rows), view.rows.schema.names, view.weight, F.lit(1))
    return weighted(session, view.rows, view.weight, needed)


def weighted(session: SparkSession, rows: StoredRows, weight: str, needed: SparkColumn | None = None) -> DataFrame:
    """The union of all parts, each row with its weight; nothing is consolidated."""
    parts = [_weighted_part(session, rows.schema, part, weight) for part in rows.parts if part.paths]
    parts = parts if needed is None else [part.where(needed) for part in parts]
    if not parts:
        return _nothing(session, (*rows.schema.columns, Column(weight, "bigint")))
    return union(parts)


def plain(session: SparkSession, rows: StoredRows) -> DataFrame:
    """The multiset itself, each row as often as it is there."""
    names = rows.schema.names
    if rows.plain:
        return files(session, rows.schema, [path for part in rows.parts for path in part.paths])
    weight = weight_column(names)
    base = [part for part in rows.parts if part.epochs is None and part.sign == 1]
    rest = tuple(part for part in rows.parts if part not in base)
    if sum(part.rows for part in rest) > FEW_CHANGES:
        return repeated(consolidated(weighted(session, rows, weight), names, weight), names, weight)
    net = consolidated(weighted(session, StoredRows(rows.name, rows.schema, rest), weight), names, weight)
    frame = files(session, rows.schema, [path for part in base for path in part.paths])
    return applied(frame, net, names, weight)


def files(session: SparkSession, schema: TableSchema, paths: Sequence[str]) -> DataFrame:
    """The rows of some Parquet files."""
    if not paths:
        return _nothing(session, schema.columns)
    return session.read.schema(_ddl(schema.columns)).option("__globPaths__", "false").parquet(*paths)


def _weighted_part(session: SparkSession, schema: TableSchema, part: FilePart, weight: str) -> DataFrame:
    names = schema.names
    if part.epochs is None:
        return weigh(files(session, schema, part.paths), names, weight, F.lit(part.sign))
    after, upto = part.epochs
    epoch, own = epoch_column(names), weight_column(names)
    logged = TableSchema((Column(epoch, "bigint"), Column(own, "int"), *schema.columns))
    wanted = (column(epoch) > after) & (column(epoch) <= upto)
    log = files(session, logged, part.paths).where(wanted)
    return weigh(log, names, weight, column(own).cast("bigint") * part.sign)


def _nothing(session: SparkSession, schema: Sequence[Column]) -> DataFrame:
    """No rows, in a form the optimizer sees through."""
    none = (F.lit(None).cast(of.type).alias(of.name) for of in schema)
    return session.range(1).where(F.lit(False)).select(*none)


def _ddl(schema: Sequence[Column]) -> str:
    return ", ".join(f"{quoted(of.name)} {of.type}" for of in schema)


def only_plain(rows: StoredRows) -> StoredRows:
    """Stored rows that must be a folded table."""
    if not rows.plain:
        raise CorruptLakeError(f'"{rows.name}": a folded table is expected, not one with pending changes')
    return rows
