"""An open cut: the changes of each source in one snapshot, or a copy at it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pyarrow as pa
from psycopg2 import sql
from psycopg2.extensions import connection as PgConnection  # noqa: N812 - a class, whatever the library calls it

from trickle.capture import triggers
from trickle.capture.catalog import Description
from trickle.capture.copier import Copier
from trickle.capture.session import fetch_one
from trickle.capture.stream import Interval, Stream, no_changes, read_changes
from trickle.capture.verdict import Verdict
from trickle.capture.witness import witness
from trickle.errors import SourceError
from trickle.model.epoch import Position
from trickle.model.names import RelationName
from trickle.model.ports import SourceChanges
from trickle.model.schema import TableSchema


@dataclass(frozen=True)
class Sessions:
    """The sessions of a cut: `reader` holds the snapshot, `writer` commits and sees the newest state."""

    dsn: str
    reader: PgConnection
    writer: PgConnection
    copier: Copier


@dataclass(frozen=True)
class SnapshotCut:
    """An open cut (see `OpenCut` in the ports); `exported` names its snapshot, and is empty when it was reopened."""

    position: Position
    verdicts: Mapping[RelationName, Verdict]
    sessions: Sessions
    exported: str = ""

    def schema(self, name: RelationName) -> TableSchema:
        return self._table(name).schema

    def must_copy(self, name: RelationName) -> str:
        return self.verdicts[name].copy_reason

    def pending(self, name: RelationName) -> int:
        table, interval = self._complete(name)
        return count(self.sessions.reader, table.relid, interval)[0]

    def changes(self, name: RelationName) -> SourceChanges:
        table, interval = self._complete(name)
        rows, truncated_at = count(self.sessions.reader, table.relid, interval)
        if not rows:
            return SourceChanges(no_changes(table))
        rest = replace(interval, truncated_at=truncated_at)
        stream = Stream.changes(table, rest)
        return SourceChanges(read_changes(self.sessions.dsn, self.sessions.reader, stream), truncated=truncated_at > 0)

    def copy(self, name: RelationName) -> pa.RecordBatchReader:
        table = self._table(name)
        if not self.exported:
            raise SourceError(f'source table "{name}": a cut that was opened again cannot copy')
        if not self.verdicts[name].copy_reason:
            self._lock_late(name, table)
        return self.sessions.copier.read(Stream.copy(table))

    def _table(self, name: RelationName) -> Description:
        verdict = self.verdicts[name]
        if verdict.table is None:
            problem = verdict.problem or SourceError(f'source table "{name}": {verdict.copy_reason}')
            raise SourceError(problem.message, detail=problem.detail, hint=problem.hint, location=problem.location)
        return verdict.table

    def _complete(self, name: RelationName) -> tuple[Description, Interval]:
        """The source and its interval, where all its changes are at hand."""
        verdict, table = self.verdicts[name], self._table(name)
        if verdict.copy_reason or verdict.interval is None:
            raise SourceError(f'source table "{name}": its changes are not complete', detail=verdict.copy_reason)
        return table, verdict.interval

    def _lock_late(self, name: RelationName, table: Description) -> None:
        """Lock a table that was not locked before the snapshot, and see that nothing happened to it since."""
        if not self.sessions.copier.begun:
            self.sessions.copier.begin()
            self.sessions.copier.adopt(self.exported)
        problem = self.sessions.copier.lock(name, table.root.identifier)
        if problem is not None:
            raise problem
        then = witness(self.sessions.reader, table.relid)
        with self.sessions.writer:
            now = witness(self.sessions.writer, table.relid)
        if any(then[part] != now[part] for part in ("members", "columns", "definitions", "files")):
            raise SourceError(f'source table "{name}": it changed after the snapshot', hint="run again")


def count(session: PgConnection, relid: int, interval: Interval) -> tuple[int, int]:
    """How many buffer rows an interval has, and the sequence number of its last TRUNCATE marker (0 for none)."""
    query = sql.SQL("SELECT count(*), coalesce(max(seq) FILTER (WHERE w = 0), 0) FROM {} WHERE {}")
    rows, truncated_at = fetch_one(session, query.format(triggers.buffer(relid), interval.condition))
    return rows, truncated_at
