"""Opening a cut: locks, snapshot, verdicts, and a commit of our own, in this order.

Tables that will be copied and the buffers are locked (ACCESS SHARE) before the snapshot, so that no DDL or TRUNCATE,
which do not honour snapshots, comes between snapshot and reading. After the snapshot a row of our own is committed
synchronously: a crashed server forgets transactions that were committed asynchronously and gives their numbers out
again, and with our later commit on disk everything the snapshot saw is on disk too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import psycopg2
from psycopg2 import sql

from trickle.capture import registry, triggers
from trickle.capture.copier import LOCK_TIMEOUT
from trickle.capture.cut import Sessions, SnapshotCut
from trickle.capture.registry import Registered
from trickle.capture.server import Moved, position
from trickle.capture.session import fetch_one, run
from trickle.capture.snapshot import Snapshot
from trickle.capture.verdict import Judge, Verdict
from trickle.errors import SourceError
from trickle.failpoint import failpoint
from trickle.model.epoch import Position
from trickle.model.names import RelationName
from trickle.model.stream_table import SourceTable

_ATTEMPTS = 10


@dataclass(frozen=True)
class Request:
    """What is to be cut for which lake; `known_cuts` is None for a cut that is opened again."""

    lake: str
    tables: Sequence[SourceTable]
    since: Mapping[RelationName, Position]
    known_cuts: frozenset[str] | None = None


@dataclass(frozen=True)
class Opening:
    """Opens cuts of one database."""

    sessions: Sessions

    def open(self, request: Request) -> SnapshotCut:
        """Take a new snapshot; tries again when it shows that more tables have to be copied, and so locked."""
        copied: set[RelationName] = set()
        for _ in range(_ATTEMPTS):
            with self.sessions.writer:
                buffers = self._buffers(registry.read(self.sessions.writer, request.lake), request)
            blocked = self._begin(request, buffers, copied)
            cut, registered = self._judge(request)
            missing = {name for name, verdict in cut.verdicts.items() if verdict.copy_reason} - copied
            if not missing and set(self._buffers(registered, request)) <= set(buffers):
                failpoint("capture.snapshot")
                self._make_durable(request, cut, registered)
                failpoint("capture.durable")
                return replace(cut, verdicts={**cut.verdicts, **blocked})
            self.sessions.reader.rollback()
            copied |= missing
        raise SourceError("the tables kept changing while a snapshot was taken", hint="run again when the DDL is done")

    def reopen(self, request: Request, recorded: Position) -> SnapshotCut:
        """Read at a recorded position again; nothing but changes can be read there."""
        with self.sessions.writer:
            registered = registry.read(self.sessions.writer, request.lake)
        blocked = self._begin(request, self._buffers(registered, request), set())
        registered = registry.read(self.sessions.reader, request.lake)
        refuse_moved(recorded, position(self.sessions.reader), registered)
        judge = Judge(self.sessions.reader, registered, recorded)
        verdicts = {source.name: judge.verdict(source, request.since.get(source.name)) for source in request.tables}
        whole = registered.cuts[recorded.snapshot]
        verdicts = {name: _as_recorded(verdict, whole.get(str(name))) for name, verdict in verdicts.items()}
        return SnapshotCut(recorded, {**verdicts, **blocked}, self.sessions)

    def _buffers(self, registered: Registered, request: Request) -> dict[int, RelationName]:
        """The buffers that exist for the requested sources."""
        captures = {source.name: registered.captures.get(str(source.name)) for source in request.tables}
        return {c.relid: name for name, c in captures.items() if c is not None and c.relid in registered.sources}

    def _begin(
        self, request: Request, buffers: Mapping[int, RelationName], copied: set[RelationName]
    ) -> dict[RelationName, Verdict]:
        """Begin the reading transaction and lock; returns the sources whose locks could not be had."""
        self.sessions.reader.rollback()
        run(self.sessions.reader, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        run(self.sessions.reader, sql.SQL("SET LOCAL lock_timeout = {}").format(sql.Literal(LOCK_TIMEOUT)))
        problems = {name: self._lock_buffer(name, triggers.buffer(relid)) for relid, name in buffers.items()}
        if copied:
            self.sessions.copier.begin()
        for source in request.tables:
            if source.name in copied:
                table = sql.Identifier(source.pg_schema, source.pg_table)
                problems[source.name] = self.sessions.copier.lock(source.name, table)
        return {n: Verdict(None, None, p.message, problem=p) for n, p in problems.items() if p is not None}

    def _lock_buffer(self, name: RelationName, buffer: sql.Identifier) -> SourceError | None:
        """Keep others from installing the capture again while its buffer is read."""
        run(self.sessions.reader, "SAVEPOINT locking")
        try:
            run(self.sessions.reader, sql.SQL("LOCK TABLE {} IN ACCESS SHARE MODE").format(buffer))
        except psycopg2.Error as error:
            run(self.sessions.reader, "ROLLBACK TO SAVEPOINT locking")
            return SourceError(f'source table "{name}": its buffer could not be locked', detail=str(error).strip())
        finally:
            run(self.sessions.reader, "RELEASE SAVEPOINT locking")
        return None

    def _judge(self, request: Request) -> tuple[SnapshotCut, Registered]:
        now = position(self.sessions.reader)
        (exported,) = fetch_one(self.sessions.reader, "SELECT pg_export_snapshot()")
        if self.sessions.copier.begun:
            self.sessions.copier.adopt(exported)
        registered = registry.read(self.sessions.reader, request.lake)
        judge = Judge(self.sessions.reader, registered, now, request.known_cuts)
        verdicts = {source.name: judge.verdict(source, request.since.get(source.name)) for source in request.tables}
        return SnapshotCut(now, verdicts, self.sessions, exported), registered

    def _make_durable(self, request: Request, cut: SnapshotCut, registered: Registered) -> None:
        """Commit the cut's row, and with it everything the snapshot saw."""
        whole = {str(name): v.generation for name, v in cut.verdicts.items() if v.generation}
        snapshot = cut.position.snapshot
        with self.sessions.writer:
            for name, since in request.since.items():
                capture = registered.captures.get(str(name))
                if capture and not cut.verdicts[name].copy_reason and _behind(capture.snapshot, since.snapshot):
                    registry.advance(self.sessions.writer, request.lake, str(name), since.snapshot)
            registry.open_cut(self.sessions.writer, request.lake, snapshot, whole)
            (early,) = fetch_one(
                self.sessions.writer,
                "SELECT pg_visible_in_snapshot(pg_current_xact_id(), %s::pg_snapshot)",
                (snapshot,),
            )
            if early:
                raise SourceError("the cut's own commit does not follow its snapshot")


def _behind(registered: str, since: str) -> bool:
    return registered != since and Snapshot.parse(registered).within(Snapshot.parse(since))


def refuse_moved(recorded: Position, now: Position, registered: Registered) -> None:
    """Raise where a recorded cut cannot be completed."""
    reason = Moved(recorded, now).reason
    if not reason and recorded.snapshot not in registered.cuts:
        reason = "the database has no record of it"
    if reason:
        raise SourceError(f"the cut cannot be completed: {reason}")


def _as_recorded(verdict: Verdict, generation: str | None) -> Verdict:
    """A source's buffer serves a recorded cut only when it is still the one that was whole in it."""
    if verdict.copy_reason or verdict.generation == generation:
        return verdict
    return Verdict(verdict.table, verdict.interval, "its capture was not whole in this cut, or installed again since")
