"""One run per lake at a time, across machines: a session lock in the database, which ends with its holder."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg2
from psycopg2.extensions import connection as PgConnection  # noqa: N812 - a class, whatever the library calls it

from trickle.capture.session import connect, fetch_one, source_errors
from trickle.errors import LockHeldError

_ATTEMPTS = 50
_PAUSE = 0.1
_HOLDER = """
SELECT max(a.application_name), max(a.backend_start)::text
FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'advisory' AND l.granted AND (l.classid::bigint << 32 | l.objid::bigint) = %s
  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


def _key(lake: str) -> int:
    """A key of 63 bits, so that it reads the same from pg_locks."""
    return int.from_bytes(hashlib.sha256(f"trickle {lake}".encode()).digest()[:8], "big") >> 1


@contextmanager
def hold(dsn: str, connection: str, lake: str, holder: str) -> Iterator[None]:
    """Hold the lake while the block runs; the session is named after the holder, so that others can see who it is."""
    session = connect(dsn, connection, f"trickle {holder}")
    session.autocommit = True
    try:
        with source_errors(f'connection "{connection}"'):
            _acquire(session, _key(lake))
        yield
        with suppress(psycopg2.Error):
            fetch_one(session, "SELECT pg_advisory_unlock(%s)", (_key(lake),))
    finally:
        session.close()


def _acquire(session: PgConnection, key: int) -> None:
    """Take the lock, or say who has it; a killed holder's lock goes a moment after its connection."""
    for _ in range(_ATTEMPTS):
        (held,) = fetch_one(session, "SELECT pg_try_advisory_lock(%s)", (key,))
        if held:
            return
        who, since = fetch_one(session, _HOLDER, (key,))
        if who is not None:
            raise LockHeldError(
                f"another run holds this project: {who.removeprefix('trickle ')}",
                detail=f"since {since}",
                hint="wait until it has finished",
            )
        time.sleep(_PAUSE)
    raise LockHeldError("another run holds this project", hint="wait until it has finished")
