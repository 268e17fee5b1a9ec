"""Z-sets as DataFrames: weights summed per distinct row, and rows repeated as often as they weigh.

Rows are compared null-safe over all columns; NaN equals NaN, and -0.0 is not 0.0.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name Spark's users know
from pyspark.sql.types import DoubleType, FloatType

from trickle.engine.failures import NEGATIVE


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def column(name: str) -> Column:
    """A column by its exact name, whatever characters it has."""
    return F.col(quoted(name))


def columns(names: Iterable[str]) -> list[Column]:
    return [column(name) for name in names]


def weigh(frame: DataFrame, names: Sequence[str], weight: str, by: Column) -> DataFrame:
    """Some columns of a frame, with a weight."""
    return frame.select(*columns(names), by.cast("bigint").alias(weight))


def union(frames: Sequence[DataFrame]) -> DataFrame:
    return reduce(DataFrame.unionAll, frames)


def consolidated(frame: DataFrame, names: Sequence[str], weight: str) -> DataFrame:
    """Each distinct row once, with the sum of its weights where that is not zero.

    Floats are told apart by their text, since GROUP BY takes -0.0 for 0.0.
    """
    floats = {field.name for field in frame.schema.fields if isinstance(field.dataType, FloatType | DoubleType)}
    keys = [_exact(name, floats) for name in names]
    places = [f"{weight}{place}" for place in range(len(names))]
    values = [F.max(column(name)).alias(name) for name in names if name in floats]
    grouped = frame.groupBy(*(key.alias(place) for key, place in zip(keys, places, strict=True)))
    summed = grouped.agg(F.sum(column(weight)).alias(weight), *values).where(column(weight) != 0)
    back = [column(n) if n in floats else column(p).alias(n) for n, p in zip(names, places, strict=True)]
    return summed.select(*back, column(weight))


def repeated(frame: DataFrame, names: Sequence[str], weight: str) -> DataFrame:
    """Consolidated rows as often as they weigh; a negative weight fails the statement."""
    times = F.when(column(weight) < 0, F.raise_error(F.lit(NEGATIVE))).otherwise(column(weight)).cast("int")
    copies = frame.select(*columns(names), F.explode(F.array_repeat(F.lit(0), times)).alias(weight))
    return copies.select(*columns(names))


def _exact(name: str, floats: Container[str]) -> Column:
    """A column that compares equal only to the same value."""
    return column(name).cast("string") if name in floats else column(name)


def matching(frame: DataFrame, rows: DataFrame, names: Sequence[str], how: str) -> DataFrame:
    """A semi or anti join of a frame with some rows, on all columns, where NULL matches NULL."""
    taken = {name.lower() for name in frame.columns}
    prefix = "k"
    while any(name.startswith(prefix) for name in taken):
        prefix += "_"
    floats = {field.name for field in rows.schema.fields if isinstance(field.dataType, FloatType | DoubleType)}
    renamed = rows.select(*(_exact(name, floats).alias(f"{prefix}{place}") for place, name in enumerate(names)))
    equal = (_exact(name, floats).eqNullSafe(F.col(f"{prefix}{place}")) for place, name in enumerate(names))
    return frame.join(F.broadcast(renamed), reduce(Column.__and__, equal), how)


def applied(base: DataFrame, net: DataFrame, names: Sequence[str], weight: str) -> DataFrame:
    """Plain rows changed by consolidated changes that are few beside them.

    Rows no change takes away stream through untouched; only those that lose copies are counted.
    """
    lost, gained = net.where(column(weight) < 0), net.where(column(weight) > 0)
    kept = matching(base, lost, names, "left_anti").select(*columns(names))
    at_stake = weigh(matching(base, lost, names, "left_semi"), names, weight, F.lit(1))
    remaining = consolidated(at_stake.unionAll(lost), names, weight)
    return union([kept, repeated(remaining, names, weight), repeated(gained, names, weight)])
