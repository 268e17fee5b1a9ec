"""Preparing a table: install or repair its capture, and register the lake for it, in one transaction."""

from __future__ import annotations

from psycopg2 import sql
from psycopg2.extensions import connection as PgConnection  # noqa: N812 - a class, whatever the library calls it
from psycopg2.extras import Json

from trickle.capture import registry, triggers
from trickle.capture.catalog import Description, describe
from trickle.capture.session import fetch, fetch_one, run
from trickle.capture.witness import difference, witness
from trickle.errors import SourceError
from trickle.model.stream_table import SourceTable

_COMMENT = "SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = 'trickle'"


def ensure_registry(session: PgConnection, lake: str) -> None:
    """Create schema `trickle` where it is missing, and the lake's row in it."""
    if registry.exists(session) and fetch(session, "SELECT 1 FROM trickle.lakes WHERE lake = %s", (lake,)):
        return
    _alone(session)
    if not registry.exists(session):
        found = fetch(session, _COMMENT)
        if found and not str(found[0][0]).startswith("change capture of trickle"):
            raise SourceError(
                'the database has a schema "trickle" that is not ours',
                hint="rename it, so that trickle can make its own",
            )
        registry.create(session)
    run(session, "INSERT INTO trickle.lakes (lake) VALUES (%s) ON CONFLICT DO NOTHING", (lake,))


def ensure_captured(session: PgConnection, lake: str, source: SourceTable) -> None:
    """Make the table's capture whole, with a new generation when it was not; changes nothing when all is well."""
    table = describe(session, source)
    if not _broken(session, table) and _registered(session, lake, str(source.name)) == table.relid:
        return
    _alone(session)
    if _broken(session, table):
        table = _locked(session, source, table)
        if _broken(session, table):
            _reinstall(session, table)
    _register(session, lake, str(source.name), table.relid)


def _alone(session: PgConnection) -> None:
    """Let one session at a time change the schema."""
    run(session, "SELECT pg_advisory_xact_lock(%s)", (registry.DDL_LOCK,))


def _broken(session: PgConnection, table: Description) -> bool:
    found = fetch(session, "SELECT witness FROM trickle.sources WHERE relid = %s", (table.relid,))
    return not found or bool(difference(found[0][0], witness(session, table.relid)))


def _locked(session: PgConnection, source: SourceTable, table: Description) -> Description:
    """Keep writers out, and describe the table as it is now that it cannot change any more."""
    members = tuple(member.relid for member in table.members)
    mode = "ACCESS EXCLUSIVE" if triggers.installed(session, members) else "SHARE ROW EXCLUSIVE"
    run(session, sql.SQL("LOCK TABLE {} IN {} MODE").format(table.root.identifier, sql.SQL(mode)))
    return describe(session, source)


def _reinstall(session: PgConnection, table: Description) -> None:
    members = tuple(member.relid for member in table.members)
    before = fetch_one(
        session, "SELECT coalesce((SELECT members FROM trickle.sources WHERE relid = %s), '{}')::int8[]", (table.relid,)
    )[0]
    triggers.uninstall(session, table.relid, tuple({*members, *before}))
    triggers.install(session, table)
    run(
        session,
        "INSERT INTO trickle.sources (relid, table_name, generation, members, witness)"
        " VALUES (%(relid)s, %(table)s, gen_random_uuid(), %(members)s::oid[], '{}') ON CONFLICT (relid) DO UPDATE SET"
        " table_name = excluded.table_name, generation = excluded.generation, members = excluded.members,"
        " installed_at = now()",
        {"relid": table.relid, "table": f"{table.root.schema}.{table.root.table}", "members": list(members)},
    )
    taken = Json(dict(witness(session, table.relid)))
    run(session, "UPDATE trickle.sources SET witness = %s WHERE relid = %s", (taken, table.relid))


def _registered(session: PgConnection, lake: str, name: str) -> int | None:
    found = fetch(session, "SELECT relid FROM trickle.captures WHERE lake = %s AND name = %s", (lake, name))
    return found[0][0] if found else None


def _register(session: PgConnection, lake: str, name: str, relid: int) -> None:
    """Register the lake for the source; the snapshot of this moment bounds what its first cut can need."""
    if _registered(session, lake, name) == relid:
        return
    run(
        session,
        "INSERT INTO trickle.captures (lake, name, relid, snapshot) VALUES (%s, %s, %s, pg_current_snapshot())"
        " ON CONFLICT (lake, name) DO UPDATE SET relid = excluded.relid, snapshot = excluded.snapshot,"
        " generation = NULL",
        (lake, name, relid),
    )
    remove_unused(session)


def remove_unused(session: PgConnection) -> None:
    """Uninstall every source that no lake captures any more."""
    rows = fetch(
        session,
        "DELETE FROM trickle.sources s WHERE NOT EXISTS (SELECT FROM trickle.captures c WHERE c.relid = s.relid)"
        " RETURNING relid, members::int8[]",
    )
    for relid, members in rows:
        triggers.uninstall(session, relid, tuple(members))
