"""Run a recursion as a loop of Spark statements: each step over the rows that the step before it found."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name Spark's users know

from trickle.engine.multiset import column, columns, consolidated, matching, quoted, repeated, union, weigh
from trickle.errors import EngineError
from trickle.model.ports import Loop
from trickle.model.schema import weight_column

MOST_STEPS = 1000


def run_loops(session: SparkSession, loops: Sequence[Loop]) -> None:
    """Give every recursion over plain rows its name."""
    for loop in loops:
        found_by(session, loop).createOrReplaceTempView(quoted(loop.name))


def found_by(session: SparkSession, loop: Loop) -> DataFrame:
    """All rows of a recursion, stored; weighted as the loop is, or each as often as it was found."""
    first = session.sql(loop.base)
    names = [name for name in first.columns if name != loop.weight]
    weight = loop.weight or weight_column(names)
    last = _settled(_weighted(first, names, loop), names, weight, loop)
    kinds = [field.dataType for field in last.schema.fields]
    found = [last]
    for _ in range(MOST_STEPS):
        if last.isEmpty():
            whole = union(found)
            return whole if loop.weight else repeated(whole, names, weight)
        _as_read(last, names, weight, loop).createOrReplaceTempView(quoted(loop.last))
        step = _weighted(session.sql(loop.step), names, loop).toDF(*names, weight)
        typed = step.select(*(column(n).cast(k).alias(n) for n, k in zip((*names, weight), kinds, strict=True)))
        last = _settled(typed, names, weight, loop, found)
        found.append(last)
    raise EngineError(
        f"recursion {loop.name}: still finds rows after {MOST_STEPS} steps",
        hint="use UNION instead of UNION ALL where the data has cycles, or bound the depth",
    )


def _weighted(frame: DataFrame, names: Sequence[str], loop: Loop) -> DataFrame:
    if loop.weight:
        return frame
    return weigh(frame, frame.columns, weight_column(names), F.lit(1))


def _as_read(last: DataFrame, names: Sequence[str], weight: str, loop: Loop) -> DataFrame:
    return last if loop.weight else repeated(last, names, weight)


def _settled(
    frame: DataFrame, names: Sequence[str], weight: str, loop: Loop, before: Sequence[DataFrame] = ()
) -> DataFrame:
    """The rows a step found, stored: equal ones as one, and with `once` only those that are new."""
    net = consolidated(frame, names, weight)
    if loop.once:
        net = net.where(column(weight) > 0).select(*columns(names), F.lit(1).cast("bigint").alias(weight))
        if before:
            net = matching(net, union(list(before)).select(*columns(names)), names, "left_anti")
    return net.localCheckpoint(eager=True)
