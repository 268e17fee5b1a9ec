"""Compute the stages of a statement, and read of stored rows only what their keys and those of changes ask for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name Spark's users know

from trickle.engine.arrow_fold import read
from trickle.engine.multiset import column, quoted
from trickle.engine.views import frame_of
from trickle.model.files import FilePart
from trickle.model.ports import Keys, Stage, View
from trickle.model.schema import epoch_column

MOST_RANGES = 8
FEW_ROWS = 200_000
"""A stage of so many rows is sent to every task, and its keys bound what is read."""


def run_stages(session: SparkSession, views: Sequence[View], stages: Sequence[Stage]) -> None:
    """Give every view and every stage its name, each stage computed once."""
    statement = _Names(session, {view.name: view for view in views})
    for stage in stages:
        for name in stage.reads:
            statement.register(name)
        statement.compute(stage)
    for view in views:
        statement.register(view.name)


class _Names:
    """What the names of one statement stand for."""

    def __init__(self, session: SparkSession, views: dict[str, View]) -> None:
        self._session = session
        self._views = views
        self._registered: set[str] = set()
        self._results: dict[str, DataFrame] = {}
        self._values: dict[tuple[str, str], pa.Array | None] = {}

    def register(self, name: str) -> None:
        if name in self._registered:
            return
        view = self._views[name]
        needed = self._needed(view.within) if view.within else None
        frame_of(self._session, view, needed).createOrReplaceTempView(quoted(name))
        self._registered.add(name)

    def compute(self, stage: Stage) -> None:
        """Run a stage; a small result is broadcast wherever it is joined."""
        kept = self._session.sql(stage.sql).localCheckpoint(eager=True)
        small = len(kept.select(F.lit(1)).take(FEW_ROWS + 1)) <= FEW_ROWS
        if small:
            self._results[stage.name] = kept
        (F.broadcast(kept) if small else kept).createOrReplaceTempView(quoted(stage.name))

    def _needed(self, keys: Keys) -> Column | None:
        """A condition that every needed row meets, in a form that files are skipped by."""
        found: list[pa.Array] = []
        for name, key in keys.sources:
            values = self._column(name, key)
            if values is None:
                return None
            found.append(values)
        return _condition(column(keys.column), found)

    def _column(self, name: str, key: str) -> pa.Array | None:
        """The distinct values of a stage's or a change log's column; None when there are too many to look at."""
        if (name, key) not in self._values:
            self._values[name, key] = self._look(name, key)
        return self._values[name, key]

    def _look(self, name: str, key: str) -> pa.Array | None:
        result = self._results.get(name)
        if result is not None:
            return _unique(result.select(column(key).alias("key")).distinct().toArrow().column(0))
        view = self._views.get(name)
        if view is None or sum(part.rows for part in view.rows.parts) > FEW_ROWS:
            return None
        epoch = epoch_column(view.rows.schema.names)
        chunks = [c for part in view.rows.parts for values in _logged(part, epoch, key) for c in values.chunks]
        return _unique(pa.chunked_array(chunks)) if chunks else None


def _logged(part: FilePart, epoch: str, key: str) -> Iterator[pa.ChunkedArray]:
    """A column of a change log, within the part's epochs."""
    after, upto = part.epochs or (0, 0)
    for path in part.paths:
        log = read(path, [epoch, key])
        place = log.column(0)
        yield log.filter(pc.and_(pc.greater(place, after), pc.less_equal(place, upto))).column(1)


def _unique(values: pa.ChunkedArray) -> pa.Array:
    unique = values.unique()
    return unique.combine_chunks() if isinstance(unique, pa.ChunkedArray) else unique


def _condition(of: Column, found: Sequence[pa.Array]) -> Column:
    values: set[Any] = {value for some in found for value in some.to_pylist()}
    conditions = [of.between(F.lit(low), F.lit(high)) for low, high in _ranges(sorted(values - {None}))]
    if None in values:
        conditions.append(of.isNull())
    return reduce(Column.__or__, conditions) if conditions else F.lit(False)


def _ranges(values: list[Any]) -> list[tuple[Any, Any]]:
    """A few ranges that cover sorted values, parted at their widest gaps; of texts just one."""
    if not values:
        return []
    if isinstance(values[0], str):
        return [(values[0], values[-1])]
    gaps = sorted(range(1, len(values)), key=lambda i: values[i] - values[i - 1], reverse=True)[: MOST_RANGES - 1]
    starts = [0, *sorted(gaps)]
    ends = [*(start - 1 for start in starts[1:]), len(values) - 1]
    return [(values[a], values[b]) for a, b in zip(starts, ends, strict=True)]
