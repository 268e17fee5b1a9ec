"""Bring one cut of every database into the lake: written ahead, then each source, then sealed.

A crash leaves a cut that is begun but not sealed. `complete` finishes it to the very same position, or aborts it
when the server has moved on, so that its sources are copied again.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from trickle.errors import SourceError
from trickle.failpoint import failpoint
from trickle.model.epoch import Cut, CutState, Position, SourcePart
from trickle.model.names import RelationName
from trickle.model.ports import Lake, OpenCut, SourceDatabase, Stamp
from trickle.model.report import Progress, RunStatus, SourceRun
from trickle.model.schema import TableSchema
from trickle.model.stream_table import SourceTable
from trickle.refresh.horizon import last_sealed

Report = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Intake:
    """What a capture step brought: the newest sealed epoch and what happened to each source."""

    epoch: int
    sources: tuple[SourceRun, ...]
    cuts: Mapping[str, OpenCut]


@dataclass(frozen=True, slots=True)
class _Job:
    """One source to take into the cut."""

    table: SourceTable
    part: SourcePart
    reason: str
    pending: int


@dataclass(frozen=True, slots=True)
class Ingest:
    """The capture step of one run."""

    lake: Lake
    databases: Mapping[str, SourceDatabase]
    tables: tuple[SourceTable, ...]
    run_id: str
    report: Report

    @contextmanager
    def take(self, *, force: bool) -> Iterator[Intake]:
        """Complete what a crash left, then take a new cut if anything is pending; the snapshots stay open inside."""
        self._complete()
        failures = self._prepare()
        with ExitStack() as stack:
            cuts = self._open(stack, failures)
            jobs = self._jobs(cuts, failures)
            if not force and all(job.part is SourcePart.CHANGES and not job.pending for job in jobs):
                yield Intake(last_sealed(self.lake.cuts()), tuple(failures.values()), cuts)
                return
            epoch, runs = self._ingest(jobs, cuts)
            yield Intake(epoch, (*runs, *failures.values()), cuts)

    def by_connection(self) -> dict[str, list[SourceTable]]:
        """The sources of each database."""
        grouped: dict[str, list[SourceTable]] = {name: [] for name in self.databases}
        for table in self.tables:
            grouped[table.connection].append(table)
        return grouped

    def _complete(self) -> None:
        cuts = self.lake.cuts()
        if cuts and cuts[-1].state is CutState.BEGUN:
            Completion(self, cuts[-1]).finish()
        sealed = [cut for cut in self.lake.cuts() if cut.state is CutState.SEALED]
        if sealed:
            self.register(sealed[-1])

    def register(self, cut: Cut) -> None:
        """Tell each database what the lake holds, so that it may trim."""
        for name, database in self.databases.items():
            if name in cut.positions:
                database.sealed(self.lake.lake_id, cut, name)

    def _prepare(self) -> dict[RelationName, SourceRun]:
        failures: dict[RelationName, SourceRun] = {}
        for connection, tables in self.by_connection().items():
            errors = self.databases[connection].prepare(self.lake.lake_id, tables)
            for name, error in errors.items():
                failures[name] = self._failed(name, "", error, 0.0)
        failpoint("ingest.prepared")
        return failures

    def _open(self, stack: ExitStack, failures: Mapping[RelationName, SourceRun]) -> dict[str, OpenCut]:
        since = positions(self.lake.cuts(), self.tables)
        known = frozenset(cut.cut_id for cut in self.lake.cuts() if cut.state is CutState.SEALED)
        opened: dict[str, OpenCut] = {}
        for connection, tables in self.by_connection().items():
            ready = [table for table in tables if table.name not in failures]
            database = self.databases[connection]
            opened[connection] = stack.enter_context(database.cut(self.lake.lake_id, ready, since, known))
        failpoint("ingest.opened")
        return opened

    def _jobs(self, cuts: Mapping[str, OpenCut], failures: dict[RelationName, SourceRun]) -> list[_Job]:
        """What to take of each source; one that went wrong since it was prepared joins the failures."""
        jobs: list[_Job] = []
        for table in self.tables:
            if table.name not in failures:
                try:
                    jobs.append(self._job(table, cuts[table.connection]))
                except SourceError as error:
                    failures[table.name] = self._failed(table.name, "", str(error), 0.0)
        return jobs

    def _job(self, table: SourceTable, cut: OpenCut) -> _Job:
        if self._promises_less(table.name, cut):
            return _Job(table, SourcePart.COPY, "its key or a NOT NULL was dropped", 0)
        reason = cut.must_copy(table.name) or self._lost(table.name) or self._left_by_abort(table.name)
        if not reason:
            return _Job(table, SourcePart.CHANGES, "", cut.pending(table.name))
        return _Job(table, SourcePart.RESYNC if self._has_mirror(table, cut) else SourcePart.COPY, reason, 0)

    def _lost(self, name: RelationName) -> str:
        return "" if self.lake.stored(name) else "the lake has lost its mirror"

    def _left_by_abort(self, name: RelationName) -> str:
        """A log with rows newer than the source's last sealed cut can only be retracted as a whole."""
        stored = self.lake.stored(name)
        sealed = max((c.epoch for c in self.lake.cuts() if c.state is CutState.SEALED and name in c.sources), default=0)
        return "a cut was aborted" if stored and stored.epoch > sealed else ""

    def _promises_less(self, name: RelationName, cut: OpenCut) -> bool:
        """Whether rows may come that the mirror's schema rules out, on which delta plans rely."""
        stored = self.lake.stored(name)
        if stored is None:
            return False
        now = cut.schema(name)
        nullable = {c.name for c in now.columns if c.nullable}
        dropped = any(c.name in nullable for c in stored.schema.columns if not c.nullable)
        return dropped or bool(stored.schema.key and stored.schema.key != now.key)

    def _has_mirror(self, table: SourceTable, cut: OpenCut) -> bool:
        stored = self.lake.stored(table.name)
        return stored is not None and same_columns(stored.schema, cut.schema(table.name))

    def _ingest(self, jobs: Sequence[_Job], cuts: Mapping[str, OpenCut]) -> tuple[int, list[SourceRun]]:
        begun = Cut(
            epoch=max((cut.epoch for cut in self.lake.cuts()), default=0) + 1,
            cut_id=str(uuid.uuid4()),
            run_id=self.run_id,
            state=CutState.BEGUN,
            positions={name: cut.position for name, cut in cuts.items()},
            sources={job.table.name: job.part for job in jobs},
            at=datetime.now(UTC).isoformat(),
        )
        self.lake.record(begun)
        failpoint("ingest.begun")
        runs = [self._write(job, cuts[job.table.connection], self.stamp(begun)) for job in jobs]
        self.seal(begun, {run.name for run in runs if run.status is RunStatus.OK})
        return begun.epoch, [run for run in runs if run.part]

    def seal(self, begun: Cut, complete: set[str]) -> None:
        """Seal a cut with the sources that are complete in it."""
        sources = {name: part for name, part in begun.sources.items() if str(name) in complete}
        sealed = replace(begun, state=CutState.SEALED, sources=sources)
        failpoint("ingest.before_seal")
        self.lake.record(sealed)
        failpoint("ingest.sealed")
        self.register(sealed)
        failpoint("ingest.registered")

    def stamp(self, cut: Cut) -> Stamp:
        """What each source's commit carries."""
        return Stamp(epoch=cut.epoch, run_id=self.run_id, mode="CAPTURE", position=cut.cut_id)

    def _write(self, job: _Job, cut: OpenCut, stamp: Stamp) -> SourceRun:
        name, began = job.table.name, time.monotonic()
        shown = "" if job.part is SourcePart.CHANGES and not job.pending else str(job.part)
        if shown:
            self.report(Progress("source", str(name), "running", shown, job.reason))
        try:
            rows = self._store(job, cut, stamp)
        except SourceError as error:
            return self._failed(name, str(job.part), str(error), time.monotonic() - began)
        failpoint(f"ingest.{job.part}_stored")
        seconds = time.monotonic() - began
        if shown:
            self.report(Progress("source", str(name), "ok", shown, job.reason, rows, seconds))
        return SourceRun(str(name), shown, rows, seconds, RunStatus.OK, job.reason)

    def _store(self, job: _Job, cut: OpenCut, stamp: Stamp) -> int:
        name = job.table.name
        if job.part is SourcePart.COPY:
            return self.lake.create(name, cut.schema(name), cut.copy(name), stamp)
        if job.part is SourcePart.RESYNC:
            return self.lake.resync(name, cut.copy(name), stamp)
        return self._append(name, cut, stamp) if job.pending else 0

    def _append(self, name: RelationName, cut: OpenCut, stamp: Stamp) -> int:
        """Append the changes; where one of them cannot be stored, the table as it is now may well be."""
        try:
            return self.lake.append(name, cut.changes(name), stamp)
        except SourceError as error:
            rows = self.lake.resync(name, cut.copy(name), stamp)
            reason = f"copied again, because a change could not be stored: {error.message}"
            self.report(Progress("source", str(name), "ok", str(SourcePart.RESYNC), reason, rows))
            return rows

    def _failed(self, name: RelationName, part: str, error: str, seconds: float) -> SourceRun:
        self.report(Progress("source", str(name), "error", part, error=error, seconds=seconds))
        return SourceRun(str(name), part, 0, seconds, RunStatus.ERROR, error=error)


@dataclass(frozen=True, slots=True)
class Completion:
    """A cut that a crash left begun."""

    ingest: Ingest
    cut: Cut

    def finish(self) -> None:
        """Complete it to the recorded position and seal it, or abort it."""
        try:
            complete = self._replay()
        except SourceError:
            self.ingest.lake.record(replace(self.cut, state=CutState.ABORTED, sources={}))
            return
        self.ingest.seal(self.cut, complete)

    def _replay(self) -> set[str]:
        known = {table.name: table for table in self.ingest.tables}
        with ExitStack() as stack:
            cuts = self._reopen(stack)
            complete: set[str] = set()
            for name, part in self.cut.sources.items():
                table = known.get(name)
                cut = cuts.get(table.connection) if table else None
                if self._is_stored(name) or (cut and part is SourcePart.CHANGES and self._append(name, cut)):
                    complete.add(str(name))
            return complete

    def _reopen(self, stack: ExitStack) -> dict[str, OpenCut]:
        since = positions(self.ingest.lake.cuts(), self.ingest.tables)
        opened: dict[str, OpenCut] = {}
        for connection, tables in self.ingest.by_connection().items():
            position = self.cut.positions.get(connection)
            wanted = [table for table in tables if self.cut.sources.get(table.name) is SourcePart.CHANGES]
            if position and wanted:
                database = self.ingest.databases[connection]
                opened[connection] = stack.enter_context(
                    database.reopen(self.ingest.lake.lake_id, wanted, since, position)
                )
        return opened

    def _is_stored(self, name: RelationName) -> bool:
        stored = self.ingest.lake.stored(name)
        return stored is not None and stored.epoch == self.cut.epoch

    def _append(self, name: RelationName, cut: OpenCut) -> bool:
        """Whether the source is complete in the cut; one whose changes cannot be had joins a later cut."""
        try:
            if cut.pending(name):
                self.ingest.lake.append(name, cut.changes(name), self.ingest.stamp(self.cut))
        except SourceError:
            return False
        failpoint("ingest.replayed")
        return True


def positions(cuts: Sequence[Cut], tables: Sequence[SourceTable]) -> dict[RelationName, Position]:
    """The position of each source's last sealed cut."""
    connection = {table.name: table.connection for table in tables}
    found: dict[RelationName, Position] = {}
    for cut in cuts:
        if cut.state is CutState.SEALED:
            for name in cut.sources:
                if name in connection and connection[name] in cut.positions:
                    found[name] = cut.positions[connection[name]]
    return found


def same_columns(left: TableSchema, right: TableSchema) -> bool:
    """Whether two schemas have the same columns in the same order."""
    return [(c.name, c.type) for c in left.columns] == [(c.name, c.type) for c in right.columns]
