"""After a lake has sealed a cut: note how far it is, then delete what no lake needs any more.

A lake that notes its position and dies before trimming loses nothing: the next seal trims. A row goes only when it is
visible in the sealed snapshot of every lake that captures its table.
"""

from __future__ import annotations

from collections.abc import Iterable

from psycopg2 import sql
from psycopg2.extensions import connection as PgConnection  # noqa: N812 - a class, whatever the library calls it

from trickle.capture import registry, triggers
from trickle.capture.server import Moved, position
from trickle.capture.session import fetch, fetch_one, run
from trickle.capture.snapshot import Snapshot
from trickle.failpoint import failpoint
from trickle.model.epoch import Cut, Position

_TRIM = """
DELETE FROM {table} b WHERE {mine} NOT EXISTS (
    SELECT FROM trickle.captures c WHERE c.relid = {relid} AND NOT pg_visible_in_snapshot(b.xid, c.snapshot)
)
"""


def seal(session: PgConnection, lake: str, cut: Cut, at: Position) -> None:
    """Register the sealed cut and trim the buffers of its sources; a cut that is older than what is registered, or
    of another server, changes nothing, so that a lake restored from a backup cannot hide that it went back."""
    with session:
        if not _register(session, lake, cut, at):
            return
        captured = fetch(session, "SELECT DISTINCT relid FROM trickle.captures WHERE lake = %s", (lake,))
    failpoint("capture.registered")
    trim(session, [relid for (relid,) in captured])
    failpoint("capture.trimmed")


def _register(session: PgConnection, lake: str, cut: Cut, at: Position) -> bool:
    registered = fetch(session, "SELECT snapshot::text FROM trickle.lakes WHERE lake = %s FOR UPDATE", (lake,))
    if not registered or Moved(at, position(session)).reason or not _within(registered[0][0], at.snapshot):
        return False
    captures = registry.read(session, lake).captures
    for name in map(str, cut.sources):
        if name in captures and _within(captures[name].snapshot, at.snapshot):
            registry.advance(session, lake, name, at.snapshot)
    run(
        session,
        "UPDATE trickle.lakes SET cut_id = %s, epoch = %s, snapshot = %s::pg_snapshot, sealed_at = now()"
        " WHERE lake = %s",
        (cut.cut_id, cut.epoch, at.snapshot, lake),
    )
    return True


def _within(earlier: str | None, later: str) -> bool:
    return earlier is None or Snapshot.parse(earlier).within(Snapshot.parse(later))


def trim(session: PgConnection, relids: Iterable[int]) -> None:
    """Delete what every lake has; leaves it to the next seal when another session trims or changes the schema."""
    for relid in relids:
        with session:
            (free,) = fetch_one(
                session,
                "SELECT pg_try_advisory_xact_lock_shared(%s) AND pg_try_advisory_xact_lock(%s)",
                (registry.DDL_LOCK, registry.TRIM_LOCK),
            )
            if not free:
                return
            (present,) = fetch_one(
                session, "SELECT to_regclass(%s) IS NOT NULL", (f"{registry.SCHEMA}.changes_{relid}",)
            )
            if present:
                _trim(session, triggers.buffer(relid), relid, sql.SQL(""))
            gaps = sql.Identifier(registry.SCHEMA, "gaps")
            _trim(session, gaps, relid, sql.SQL("b.relid = {} AND").format(sql.Literal(relid)))


def _trim(session: PgConnection, table: sql.Identifier, relid: int, mine: sql.Composable) -> None:
    run(session, sql.SQL(_TRIM).format(table=table, relid=sql.Literal(relid), mine=mine))
