"""Leaving a database as it was: what a lake installed goes, and with the last lake the schema `trickle`."""

from __future__ import annotations

from collections.abc import Sequence

from psycopg2.extensions import connection as PgConnection  # noqa: N812 - a class, whatever the library calls it

from trickle.capture import registry
from trickle.capture.install import remove_unused
from trickle.capture.session import fetch, fetch_one, run
from trickle.capture.triggers import uninstall
from trickle.model.names import RelationName

_OURS = """
SELECT coalesce(obj_description(oid, 'pg_namespace') LIKE 'change capture of trickle%', false)
FROM pg_namespace WHERE nspname = 'trickle'
"""

_LEFT_OVER = """
SELECT DISTINCT substring(name FROM '[0-9]+$')::int8 FROM (
    SELECT proname::text FROM pg_proc WHERE pronamespace = 'trickle'::regnamespace
    UNION ALL
    SELECT relname::text FROM pg_class WHERE relnamespace = 'trickle'::regnamespace AND relkind = 'r'
) AS o(name)
WHERE name ~ '^(capture|changes)_[0-9]+$'
"""

_EMPTY = """
SELECT NOT EXISTS (SELECT FROM pg_class WHERE relnamespace = 'trickle'::regnamespace)
   AND NOT EXISTS (SELECT FROM pg_proc WHERE pronamespace = 'trickle'::regnamespace)
"""


def forget_tables(session: PgConnection, lake: str, names: Sequence[RelationName]) -> None:
    """The lake no longer captures these sources; what no other lake captures is uninstalled."""
    if not registry.exists(session):
        return
    run(session, "SELECT pg_advisory_xact_lock(%s)", (registry.DDL_LOCK,))
    wanted = [str(name) for name in names]
    run(session, "DELETE FROM trickle.captures WHERE lake = %s AND name = ANY(%s)", (lake, wanted))
    remove_unused(session)


def forget_lake(session: PgConnection, lake: str) -> None:
    """The lake is gone; with the last one everything of ours goes."""
    ours = fetch(session, _OURS)
    if not ours or not ours[0][0]:
        return
    run(session, "SELECT pg_advisory_xact_lock(%s)", (registry.DDL_LOCK,))
    if registry.exists(session):
        run(session, "DELETE FROM trickle.lakes WHERE lake = %s", (lake,))
        remove_unused(session)
        if fetch(session, "SELECT 1 FROM trickle.lakes LIMIT 1"):
            return
    _remove_schema(session)


def _remove_schema(session: PgConnection) -> None:
    """Drop our objects one by one; a schema that holds something of someone else stays."""
    for (relid,) in fetch(session, _LEFT_OVER):
        uninstall(session, relid, (relid,))
    run(session, "DROP TABLE IF EXISTS trickle.captures, trickle.cuts, trickle.lakes, trickle.sources, trickle.gaps")
    (empty,) = fetch_one(session, _EMPTY)
    if empty:
        run(session, "DROP SCHEMA IF EXISTS trickle")
