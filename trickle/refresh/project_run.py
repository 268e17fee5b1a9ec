"""One run of a project: hold it, take a cut, refresh what is stale in dependency order, fold, note the history."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from trickle.errors import CorruptLakeError, FencedError, TrickleError
from trickle.failpoint import failpoint
from trickle.model.names import RelationName
from trickle.model.ports import Engine, Lake, SourceDatabase, Stamp, Stored
from trickle.model.report import ChosenMode, Progress, RunReport, RunStatus, SourceRun, TableRun
from trickle.model.stream_table import SourceTable, StreamTable
from trickle.refresh.compiled import CompiledTable, compile_table
from trickle.refresh.decide import Decision, Reason, ReasonCode, decide
from trickle.refresh.forecast import Forecast, Waiting
from trickle.refresh.horizon import Standing, source_standing, table_standing, target_epoch
from trickle.refresh.ingest import Ingest, Intake
from trickle.refresh.journal import entries
from trickle.refresh.run import Interval, TableRefresh, fold
from trickle.refresh.situation import Facts

THREADS = min(4, os.cpu_count() or 1)
FOLD_SHARE = 0.2
FOLD_ROWS = 50_000
FOLD_EPOCHS = 50


@dataclass(frozen=True, slots=True)
class Scope:
    """What a run is about: the project's tables in dependency order, and which of them to refresh."""

    sources: tuple[SourceTable, ...]
    tables: tuple[StreamTable, ...]
    selected: frozenset[RelationName]
    full_refresh: bool = False
    threads: int = THREADS

    def levels(self) -> list[list[StreamTable]]:
        """The tables by their distance from the sources."""
        depth: dict[RelationName, int] = {}
        for table in self.tables:
            depth[table.name] = 1 + max((depth.get(name, 0) for name in table.inputs), default=0)
        deepest = max(depth.values(), default=0)
        return [[table for table in self.tables if depth[table.name] == level] for level in range(1, deepest + 1)]

    def chosen(self) -> Iterator[StreamTable]:
        """The tables to refresh."""
        return (table for table in self.tables if table.name in self.selected)


@dataclass(slots=True)
class ProjectRun:
    """The effects of one run, and what it has learned so far."""

    lake: Lake
    engine: Engine
    databases: Mapping[str, SourceDatabase]
    scope: Scope
    run_id: str
    report: Callable[[Progress], None]
    moment: datetime = field(default_factory=lambda: datetime.now(UTC))
    _standings: dict[RelationName, Standing] = field(default_factory=dict)
    _failed: set[RelationName] = field(default_factory=set)

    def execute(self, holder: str) -> RunReport:
        """Run once."""
        with self.hold(holder):
            with self.intake() as intake:
                pass
            return self.refresh(intake)

    @contextmanager
    def hold(self, holder: str) -> Iterator[None]:
        """Hold the lake in every database, so that nobody else runs this project."""
        with ExitStack() as stack:
            for name in sorted(self.databases):
                stack.enter_context(self.databases[name].hold(self.lake.lake_id, holder))
            yield

    @contextmanager
    def intake(self) -> Iterator[Intake]:
        """Capture; the cut's snapshots stay open inside the context."""
        ingest = Ingest(self.lake, self.databases, self.scope.sources, self.run_id, self.report)
        with ingest.take(force=self._needs_new_epoch()) as intake:
            yield intake

    def refresh(self, intake: Intake) -> RunReport:
        """Refresh every chosen table that is stale."""
        self._note_sources(intake.sources)
        chosen = [run for run in self._tables() if run is not None]
        if self.engine.started:
            self._fold_mirrors()
        done = [run for run in chosen if run.mode is not ChosenMode.NO_DATA]
        if done:
            self.lake.append_history(entries(self.run_id, intake.epoch, self.moment, done))
        statuses = [*(run.status for run in chosen), *(run.status for run in intake.sources)]
        failed = any(status is not RunStatus.OK for status in statuses)
        return RunReport(self.run_id, intake.epoch, not failed, tuple(chosen), intake.sources)

    def _tables(self) -> Iterator[TableRun | None]:
        """Tables that do not depend on one another go side by side."""
        with ThreadPoolExecutor(max_workers=self.scope.threads) as pool:
            for level in self.scope.levels():
                yield from pool.map(self._table, level)

    def _needs_new_epoch(self) -> bool:
        schemas = {table.name: found.schema for table in self.scope.sources if (found := self.lake.stored(table.name))}
        if len(schemas) < len(self.scope.sources):
            return False
        return Forecast(self.lake, schemas, Waiting({})).needs_new_epoch(
            self.scope.tables, self.scope.selected, full=self.scope.full_refresh
        )

    def _note_sources(self, runs: Sequence[SourceRun]) -> None:
        errors = {run.name for run in runs if run.status is not RunStatus.OK}
        cuts = self.lake.cuts()
        for table in self.scope.sources:
            stored = self.lake.stored(table.name)
            if str(table.name) in errors:
                self._failed.add(table.name)
            if stored:
                self._standings[table.name] = source_standing(table.name, stored, cuts)

    def _table(self, table: StreamTable) -> TableRun | None:
        run = None
        if table.name in self.scope.selected:
            run = self._refresh_table(table)
            if run.status is not RunStatus.OK:
                self._failed.add(table.name)
        stored = self.lake.stored(table.name)
        if stored:
            self._standings[table.name] = table_standing(stored, self._inputs(table.inputs))
        return run

    def _inputs(self, names: Iterable[RelationName]) -> dict[RelationName, Standing]:
        return {name: self._standings[name] for name in names if name in self._standings}

    def _refresh_table(self, table: StreamTable) -> TableRun:
        began = time.monotonic()
        try:
            return self._attempt(table, began)
        except FencedError:
            raise
        except TrickleError as error:
            return self._finish(table, _Ended(None, "", error=str(error)), began)

    def _attempt(self, table: StreamTable, began: float) -> TableRun:
        broken = next((name for name in table.inputs if name in self._failed), None)
        if broken:
            return self._skip(table, Reason(ReasonCode.UPSTREAM_FAILED, f"{broken} failed"), began)
        inputs = self._inputs(table.inputs)
        target = target_epoch(inputs.values()) if len(inputs) == len(table.inputs) else None
        if target is None:
            reason = Reason(ReasonCode.NO_COMMON_EPOCH, "its inputs are not available at one epoch")
            return self._skip(table, reason, began)
        compiled = compile_table(table, {name: item.stored.schema for name, item in inputs.items()})
        facts = Facts.gather(self.lake, compiled)
        decision = decide(facts.situation(facts.pending(target), requested_full=self.scope.full_refresh))
        return self._carry_out(facts, decision, target, began)

    def _carry_out(self, facts: Facts, decision: Decision, target: int, began: float) -> TableRun:
        table = facts.compiled.table
        if decision.mode is None:
            return self._finish(table, _Ended(None, str(decision.reason), error=str(decision.reason)), began)
        refresh = self._table_refresh(facts.compiled, facts.stored, target)
        try:
            refresh.fold_leftover()
            if decision.mode is ChosenMode.NO_DATA:
                return self._finish(table, _Ended(decision.mode, str(decision.reason)), began)
            if facts.stored and facts.stored.epoch >= target:
                return self._skip(table, Reason(ReasonCode.NO_COMMON_EPOCH, "an input has no newer epoch"), began)
            self.report(Progress("table", str(table.name), "running", str(decision.mode), str(decision.reason)))
            outcome = refresh.refresh(decision)
        except CorruptLakeError as error:
            outcome = refresh.rebuild(error)
        failpoint("run.table_refreshed")
        ended = _Ended(outcome.mode, str(outcome.reason), outcome.inserted, outcome.deleted)
        return self._finish(table, ended, began)

    def _table_refresh(self, compiled: CompiledTable, stored: Stored | None, target: int) -> TableRefresh:
        start = stored.epoch if stored else None
        stamp = Stamp(target, self.run_id, compiled.fingerprint)
        return TableRefresh(self.lake, self.engine, compiled.at(self.moment), Interval(start, target), stamp)

    def _skip(self, table: StreamTable, reason: Reason, began: float) -> TableRun:
        return self._finish(table, _Ended(None, str(reason), status=RunStatus.SKIPPED), began)

    def _finish(self, table: StreamTable, ended: _Ended, began: float) -> TableRun:
        status = RunStatus.ERROR if ended.error else ended.status
        seconds = time.monotonic() - began
        name, mode = str(table.name), ended.mode
        rows = ended.inserted + ended.deleted
        self.report(Progress("table", name, str(status), str(mode or ""), ended.reason, rows, seconds, ended.error))
        return TableRun(name, mode, ended.reason, ended.inserted, ended.deleted, seconds, status, ended.error)

    def _fold_mirrors(self) -> None:
        for table in self.scope.sources:
            standing = self._standings.get(table.name)
            if standing and _worth_folding(standing.stored, max(standing.valid, default=0)):
                stamp = Stamp(max(standing.valid), self.run_id, standing.stored.fingerprint, "FOLD")
                fold(self.lake, self.engine, standing.stored, stamp)


@dataclass(frozen=True, slots=True)
class _Ended:
    """How a table's turn ended."""

    mode: ChosenMode | None
    reason: str
    inserted: int = 0
    deleted: int = 0
    status: RunStatus = RunStatus.OK
    error: str = ""


def _worth_folding(stored: Stored, epoch: int) -> bool:
    if stored.base_epoch is None or epoch <= stored.base_epoch:
        return False
    unfolded = stored.pending(stored.base_epoch, epoch)
    epochs = sum(1 for changed in stored.changes if stored.base_epoch < changed <= epoch)
    return unfolded > max(FOLD_ROWS, FOLD_SHARE * stored.rows) or epochs > FOLD_EPOCHS
