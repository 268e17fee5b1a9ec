"""Execute the steps of one table's refresh against the lake and the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from trickle.errors import CorruptLakeError, EngineError
from trickle.failpoint import failpoint
from trickle.model.files import WrittenFiles
from trickle.model.names import Name, RelationName, ScanName
from trickle.model.ports import Engine, Keys, Lake, LogTarget, Stamp, Stored, View
from trickle.model.report import ChosenMode
from trickle.model.stream_table import RefreshMode
from trickle.query.emit import view_name
from trickle.query.estimate import Estimate
from trickle.query.operators import Version, Within
from trickle.refresh.compiled import CompiledTable
from trickle.refresh.decide import Decision, Reason, ReasonCode
from trickle.refresh.steps import (
    AppendState,
    CommitBaseline,
    CommitDelta,
    CommitDifference,
    CommitNoChange,
    DropState,
    Fold,
    Read,
    RestartState,
    Statement,
    Step,
    differential_steps,
    full_steps,
)


@dataclass(frozen=True, slots=True)
class Interval:
    """From the epoch a table is at (None before its first refresh) to the one it goes to."""

    start: int | None
    end: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a refresh did to the table's rows."""

    mode: ChosenMode
    reason: Reason
    inserted: int = 0
    deleted: int = 0


@dataclass(frozen=True, slots=True)
class TableRefresh:
    """One table on its way from one epoch to another."""

    lake: Lake
    engine: Engine
    compiled: CompiledTable
    interval: Interval
    stamp: Stamp

    @property
    def name(self) -> RelationName:
        return self.compiled.name

    def refresh(self, decision: Decision) -> Outcome:
        """Refresh in the decided mode; under AUTO a run-time error of the delta SQL is answered with FULL."""
        if decision.mode is ChosenMode.DIFFERENTIAL:
            try:
                return self._walk(self._differential(), decision)
            except EngineError as error:
                if self.compiled.table.refresh_mode is not RefreshMode.AUTO:
                    raise
                decision = Decision(ChosenMode.FULL, Reason(ReasonCode.RUNTIME_ERROR, error.message))
        return self._walk(self._full(), decision)

    def rebuild(self, why: CorruptLakeError) -> Outcome:
        """Begin the table anew, because what is stored of it contradicts itself."""
        decision = Decision(ChosenMode.FULL, Reason(ReasonCode.DAMAGED, why.message))
        return self._walk(full_steps(self.compiled, baseline=False), decision)

    def fold_leftover(self) -> None:
        """Finish a fold that a crash interrupted; the change log already holds the rows."""
        stored = self.lake.stored(self.name)
        if stored and stored.base_epoch is not None and stored.pending(stored.base_epoch, stored.epoch):
            self._fold()

    def _differential(self) -> tuple[Step, ...]:
        start, end = self._start(), self.interval.end
        unchanged = frozenset(name for name in self.compiled.query.inputs if not self._stored(name).pending(start, end))
        return differential_steps(self.compiled, unchanged, self._estimate(start, end))

    def _estimate(self, start: int, end: int) -> Estimate:
        """What the lake knows of the sizes of everything the plan reads."""
        states = self.compiled.plan.states if self.compiled.plan else ()
        rows: dict[tuple[ScanName, Version], int] = {}
        keys: dict[ScanName, tuple[str, ...]] = {}
        read: list[Name] = [*self.compiled.query.inputs, *(update.state.name for update in states)]
        for name in read:
            stored = self._stored(name)
            rows |= {(name, Version.OLD): stored.rows, (name, Version.NEW): stored.rows}
            rows[name, Version.DELTA] = stored.pending(start, end)
            keys[name] = stored.schema.key
        return Estimate(rows, keys)

    def _full(self) -> tuple[Step, ...]:
        stored = self.lake.stored(self.name)
        same_shape = stored is not None and self.interval.start is not None and self._same_columns(stored)
        return full_steps(self.compiled, baseline=same_shape)

    def _same_columns(self, stored: Stored) -> bool:
        statement = full_steps(self.compiled, baseline=False)[-1]
        if not isinstance(statement, CommitBaseline):
            return False
        new = self.engine.schema(self._views(statement.statement), statement.statement.sql, statement.statement.loops)
        shape = [(c.name, c.type) for c in new.columns if c.name != statement.statement.weight]
        return shape == [(c.name, c.type) for c in stored.schema.columns]

    def _walk(self, steps: Sequence[Step], decision: Decision) -> Outcome:
        if decision.mode is None:
            raise ValueError("a refused table is not refreshed")
        outcome = Outcome(decision.mode, decision.reason)
        for step in steps:
            changed = self._execute(step)
            failpoint(f"refresh.{type(step).__name__}")
            if changed is not None:
                outcome = replace(outcome, inserted=changed.inserted, deleted=changed.deleted)
        return outcome

    def _execute(self, step: Step) -> WrittenFiles | None:  # noqa: C901 one case for each step
        """Run one step; the step that decides the refresh answers with the rows it changed."""
        match step:
            case AppendState(state, statement):
                self._append_state(state.name, statement)
            case RestartState(state, statement):
                files = self._write_baseline(state.name, statement)
                self.lake.restart_log(state.name, state.schema, files, self.stamp)
            case DropState(state):
                if self.lake.stored(state.name) is not None:
                    self.lake.drop(state.name)
            case CommitDelta(statement):
                return self._commit_delta(statement)
            case CommitNoChange():
                self._commit_log(WrittenFiles("", (), self._stored(self.name).schema, 0))
            case CommitDifference(statement):
                return self._commit_difference(statement)
            case CommitBaseline(statement):
                return self._commit_baseline(statement)
            case Fold():
                self._fold()
            case _:
                assert_never(step)
        return None

    def _append_state(self, name: Name, statement: Statement) -> None:
        files = self._write_changes(name, statement)
        failpoint("refresh.state_written")
        self.lake.commit_log(name, files, self.stamp, after=self._start())

    def _commit_delta(self, statement: Statement) -> WrittenFiles:
        files = self._write_changes(self.name, statement)
        failpoint("refresh.delta_written")
        self._commit_log(files)
        return files

    def _commit_log(self, files: WrittenFiles) -> None:
        self.lake.commit_log(self.name, files, self.stamp, after=self._start())

    def _commit_difference(self, statement: Statement) -> WrittenFiles:
        result = self._write_result(statement)
        failpoint("refresh.result_written")
        old = self.lake.rows_at(self.name, self._start())
        directory = self.lake.staging(self.name, log=True)
        files = self.engine.write_difference(result.as_rows(self.name), old, self.interval.end, directory)
        failpoint("refresh.difference_written")
        self._commit_log(files)
        failpoint("refresh.difference_committed")
        if files.rows:
            self.lake.commit_table(self.name, result, None, self.stamp)
        return files

    def _commit_baseline(self, statement: Statement) -> WrittenFiles:
        files = self._write_result(statement)
        failpoint("refresh.result_written")
        self.lake.restart_log(self.name, files.schema, None, self.stamp)
        failpoint("refresh.log_restarted")
        self.lake.commit_table(self.name, files, None, self.stamp)
        return files

    def _fold(self) -> None:
        stored = self._stored(self.name)
        if stored.base_epoch is None or not stored.pending(stored.base_epoch, stored.epoch):
            return
        fold(self.lake, self.engine, stored, replace(self.stamp, epoch=stored.epoch))

    def _write_result(self, statement: Statement) -> WrittenFiles:
        directory = self.lake.staging(self.name, log=False)
        return self.engine.write_rows(self._views(statement), statement.sql, directory, statement.loops)

    def _write_changes(self, name: Name, statement: Statement) -> WrittenFiles:
        directory = self.lake.staging(name, log=True)
        target = LogTarget(statement.weight, self.interval.end, directory)
        return self.engine.write_changes(self._views(statement), statement.sql, target, statement.stages)

    def _write_baseline(self, name: Name, statement: Statement) -> WrittenFiles:
        views = [replace(view, settled=True) for view in self._views(statement)]
        directory = self.lake.staging(name, log=True)
        target = LogTarget(statement.weight, self.interval.end, directory)
        return self.engine.write_changes(views, statement.sql, target, statement.stages)

    def _views(self, statement: Statement) -> list[View]:
        return [self._view(read, statement.weight) for read in statement.reads]

    def _view(self, read: Read, weight: str) -> View:
        name, version, within = read.name, read.version, read.within
        start, end = self.interval.start, self.interval.end
        match version:
            case None | Version.NEW:
                rows = self.lake.rows_at(name, end)
            case Version.OLD:
                rows = self.lake.rows_at(name, self._start())
            case Version.DELTA:
                rows = self.lake.changes(name, self._start() if start is not None else end, end)
            case _:
                assert_never(version)
        return View(read.view, rows, weight if version else "", within=_keys(within) if within else None)

    def _start(self) -> int:
        if self.interval.start is None:
            raise ValueError(f"{self.name} has no baseline")
        return self.interval.start

    def _stored(self, name: Name) -> Stored:
        stored = self.lake.stored(name)
        if stored is None:
            raise ValueError(f"{name} is not in the lake")
        return stored


def _keys(within: Within) -> Keys:
    return Keys(within.column, tuple((view_name(name, version), key) for name, version, key in within.keys))


def fold(lake: Lake, engine: Engine, stored: Stored, stamp: Stamp) -> None:
    """Bring a relation's readable table up to `stamp.epoch` from its change log."""
    if stored.base_epoch is None or not isinstance(stored.name, RelationName):
        raise ValueError(f"{stored.name} has no table")
    base = lake.rows_at(stored.name, stored.base_epoch)
    changes = lake.changes(stored.name, stored.base_epoch, stamp.epoch)
    folded = engine.fold(base, changes, lake.staging(stored.name, log=False))
    failpoint("refresh.fold_written")
    lake.commit_table(stored.name, folded.files, folded.removed, stamp)
