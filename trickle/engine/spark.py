"""Spark behind the `Engine` port: the JVM starts with the first statement."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

from pyspark import SparkContext
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name Spark's users know

from trickle.engine import folding
from trickle.engine.failures import reported
from trickle.engine.multiset import consolidated, quoted, weigh
from trickle.engine.output import table_schema, write_log, write_table
from trickle.engine.recursion import run_loops
from trickle.engine.session import PINNED, start
from trickle.engine.stages import run_stages
from trickle.engine.views import register, weighted
from trickle.errors import EngineError
from trickle.model.files import StoredRows, WrittenFiles
from trickle.model.ports import Folded, LogTarget, Loop, Stage, View
from trickle.model.schema import TableSchema, weight_column

Result = TypeVar("Result")
_NOT_PLANNED = ("NoSuchElementException", "Exception thrown in awaitResult")
ONE_TASK_ROWS = 500_000


class SparkEngine:
    """Runs statements, each in a session of its own so that view names never meet; threads may share it."""

    def __init__(self, master: str = "local[*]", conf: Mapping[str, str] | None = None) -> None:
        self._master = master
        self._conf = dict(conf or {})
        self._lock = threading.Lock()
        self._session: SparkSession | None = None
        self._own = False

    @property
    def started(self) -> bool:
        return self._session is not None

    def write_changes(
        self, views: Sequence[View], sql: str, log: LogTarget, stages: Sequence[Stage | Loop] = ()
    ) -> WrittenFiles:
        with reported("delta"):
            session = self._new_session()
            self._settle(session, views)
            run_stages(session, views, stages)
            return write_log(session.sql(sql), log.weight, log.epoch, log.directory)

    def write_rows(self, views: Sequence[View], sql: str, directory: str, loops: Sequence[Loop] = ()) -> WrittenFiles:
        def write(session: SparkSession) -> WrittenFiles:
            run_loops(session, loops)
            frame = session.sql(sql)
            return write_table(frame.coalesce(1) if _small(views) else frame, directory)

        return self._planned(views, "result", write)

    def write_difference(self, new: StoredRows, old: StoredRows, epoch: int, directory: str) -> WrittenFiles:
        weight = weight_column(new.schema.names)
        with self._statement((), "difference") as session:
            added, taken = weighted(session, new, weight), weighted(session, old, weight)
            negated = weigh(taken, old.schema.names, weight, -taken[weight])
            return write_log(added.unionAll(negated), weight, epoch, directory)

    def fold(self, base: StoredRows, changes: StoredRows, directory: str) -> Folded:
        with reported(f'fold "{base.name}"'):
            return folding.fold(self._new_session, base, changes, directory)

    def differing_rows(
        self, views: Sequence[View], left_sql: str, right_sql: str, limit: int, loops: Sequence[Loop] = ()
    ) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        def compare(session: SparkSession) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
            run_loops(session, loops)
            left, right = session.sql(left_sql), session.sql(right_sql)
            names = table_schema(left.schema).names
            weight = weight_column(names)
            right = right.toDF(*names)
            both = weigh(left, names, weight, F.lit(1)).unionAll(weigh(right, names, weight, F.lit(-1)))
            found = consolidated(both, names, weight).limit(limit).toArrow()
            rows = list(zip(*(column.to_pylist() for column in found.columns), strict=True))
            return (*names, "difference"), rows

        return self._planned(views, "comparison", compare)

    def schema(self, views: Sequence[View], sql: str, loops: Sequence[Loop] = ()) -> TableSchema:
        with self._statement(views, "query") as session:
            for loop in loops:
                session.sql(loop.base).createOrReplaceTempView(quoted(loop.name))
            return table_schema(session.sql(sql).schema)

    def close(self) -> None:
        """Stop Spark if this object started it."""
        with self._lock:
            if self._session is not None and self._own:
                self._session.stop()
            self._session = None

    def _planned(self, views: Sequence[View], what: str, work: Callable[[SparkSession], Result]) -> Result:
        """Run a user's query; Spark cannot plan some correlated subqueries over views unless they are stored."""
        try:
            with self._statement(views, what) as session:
                return work(session)
        except EngineError as error:
            if not any(sign in error.message for sign in _NOT_PLANNED):
                raise
        with self._statement(views, what, stored=True) as session:
            return work(session)

    @contextmanager
    def _statement(self, views: Sequence[View], what: str, *, stored: bool = False) -> Iterator[SparkSession]:
        with reported(what):
            session = self._new_session()
            self._settle(session, views)
            register(session, views, stored=stored)
            yield session

    def _new_session(self) -> SparkSession:
        session = self._started().newSession()
        if not self._own:
            for key, value in PINNED.items():
                session.conf.set(key, value)
        return session

    def _settle(self, session: SparkSession, views: Sequence[View]) -> None:
        """Where the inputs are small, planning costs more than running: one task a stage, planned once."""
        if _small(views):
            session.conf.set("spark.sql.adaptive.enabled", "false")
            session.conf.set("spark.sql.shuffle.partitions", "1")

    def _started(self) -> SparkSession:
        """The session; in a process that runs Spark already it is shared, since there can be only one."""
        with self._lock:
            if self._session is None:
                running = SparkContext._active_spark_context
                self._own = running is None
                self._session = start(self._master, self._conf) if running is None else SparkSession(running)
            return self._session


def _small(views: Sequence[View]) -> bool:
    """Whether one task can read all there is."""
    return bool(views) and sum(part.rows for view in views for part in view.rows.parts) <= ONE_TASK_ROWS
