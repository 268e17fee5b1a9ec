"""DDL on a busy table: wait briefly for its locks, let the writers through, try again, and say who stood in the way."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import psycopg2.errors
from psycopg2.extensions import connection as PgConnection  # noqa: N812 - a class, whatever the library calls it

from trickle.capture.session import fetch, run
from trickle.errors import SourceError

LOCK_TIMEOUT = "2s"
_RETRIED = (psycopg2.errors.LockNotAvailable, psycopg2.errors.DeadlockDetected)

_BLOCKERS = """
SELECT DISTINCT coalesce(
    format('pid %%s (%%s, %%s): %%s', a.pid, a.usename, a.state, left(regexp_replace(a.query, '\\s+', ' ', 'g'), 120)),
    'a prepared transaction: ' || coalesce(x.gid, 'unknown'))
FROM pg_locks l
LEFT JOIN pg_stat_activity a ON a.pid = l.pid
LEFT JOIN pg_prepared_xacts x ON l.virtualtransaction = '-1/' || x.transaction::text
WHERE l.granted AND l.pid IS DISTINCT FROM pg_backend_pid() AND (
    l.relation IN (
        SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE (n.nspname, c.relname) = (%(schema)s, %(table)s) OR n.nspname = 'trickle'
        UNION SELECT i.inhrelid FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhparent
        JOIN pg_namespace n ON n.oid = c.relnamespace WHERE (n.nspname, c.relname) = (%(schema)s, %(table)s)
    ) OR l.locktype = 'advisory' AND (l.classid::bigint << 32 | l.objid::bigint) = %(lock)s
)
LIMIT 5
"""

T = TypeVar("T")


def patiently(
    session: PgConnection, work: Callable[[], T], patience: float, blocked_by: Callable[[PgConnection], str]
) -> T:
    """Run `work` in a transaction of its own, again while locks are not to be had, for `patience` seconds."""
    deadline = time.monotonic() + patience
    pause = 0.1
    while True:
        try:
            with session:
                run(session, f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'")
                return work()
        except _RETRIED as error:
            session.rollback()
            if time.monotonic() >= deadline:
                raise SourceError(
                    "a lock could not be had",
                    detail=blocked_by(session) or str(error),
                    hint="try again when it is done",
                ) from error
            time.sleep(pause)
            pause = min(pause * 2, 3)


def blockers(session: PgConnection, schema: str, table: str, lock: int) -> str:
    """Who holds locks on a table or on the registry."""
    rows = fetch(session, _BLOCKERS, {"schema": schema, "table": table, "lock": lock})
    session.rollback()
    return "; ".join(text for (text,) in rows)
