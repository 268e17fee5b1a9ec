"""Who the server is, and the snapshot a session reads in."""

from __future__ import annotations

from dataclasses import dataclass

from psycopg2.extensions import connection as PgConnection  # noqa: N812 - a class, whatever the library calls it

from trickle.capture.session import fetch_one
from trickle.capture.snapshot import Snapshot
from trickle.errors import SourceError
from trickle.model.epoch import Position

_POSITION = """
SELECT (SELECT system_identifier FROM pg_control_system()) || ':' || d.oid,
       pg_walfile_name(pg_current_wal_lsn()), pg_current_snapshot()::text, pg_current_wal_insert_lsn()::text
FROM pg_database d WHERE d.datname = current_database()
"""


def refuse_standby(session: PgConnection) -> None:
    """A standby shows open transactions as visible, so nothing can be cut there."""
    (standby,) = fetch_one(session, "SELECT pg_is_in_recovery()")
    if standby:
        raise SourceError(
            "the server is a standby: capture has to read from the primary", hint="point the connection at the primary"
        )


def position(session: PgConnection) -> Position:
    """The session's snapshot with the server's identity; a cloned database has another identity than its template."""
    system_id, walfile, snapshot, lsn = fetch_one(session, _POSITION)
    return Position(system_id, int(walfile[:8], 16), snapshot, lsn)


@dataclass(frozen=True, slots=True)
class Moved:
    """Two positions of what should be one server."""

    then: Position
    now: Position

    @property
    def reason(self) -> str:
        """Why the earlier position means nothing to the server any more, or an empty string."""
        if self.then.system_id != self.now.system_id:
            return "the database is another one than before"
        if self.then.timeline != self.now.timeline:
            return f"the server went from timeline {self.then.timeline} to {self.now.timeline}"
        if Snapshot.parse(self.then.snapshot).xmax > Snapshot.parse(self.now.snapshot).xmax:
            return "the server has forgotten transactions that were captured"
        return ""
