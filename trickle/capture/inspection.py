"""What `trickle doctor` says of a database: can it be reached, and may we capture its tables?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing

from psycopg2 import sql
from psycopg2.extensions import connection as PgConnection  # noqa: N812 - a class, whatever the library calls it

from trickle.capture.catalog import Description, describe
from trickle.capture.session import connect, fetch_one, source_errors
from trickle.errors import ProjectError, SourceError
from trickle.model.report import Check
from trickle.model.stream_table import SourceTable

_OLDEST = 150000

_SERVER = """
SELECT current_setting('server_version_num')::int, current_setting('server_version'), current_setting('wal_level'),
       pg_is_in_recovery(), current_setting('server_encoding')
"""

_SCHEMA_RIGHT = """
SELECT has_database_privilege(current_database(), 'CREATE')
    OR EXISTS (SELECT FROM pg_namespace WHERE nspname = 'trickle' AND has_schema_privilege(oid, 'CREATE')),
    current_database(), current_user
"""

_TABLE_RIGHTS = """
SELECT pg_has_role(c.relowner, 'USAGE'), has_table_privilege(c.oid, 'SELECT'), row_security_active(c.oid),
       pg_get_userbyid(c.relowner), current_user
FROM pg_class c WHERE c.oid = %s
"""


def inspect(connection: str, dsn: str, tables: Sequence[SourceTable]) -> tuple[Check, ...]:
    """Every check of one database, in the order one would mend them; changes nothing."""
    name = f"postgresql {connection}"
    try:
        with closing(connect(dsn, connection)) as session, source_errors(name):
            session.set_session(readonly=True)
            checks = [*_server(session, name), _schema(session, name)]
            checks += [check for source in tables for check in _table(session, name, source)]
            return tuple(checks)
    except SourceError as error:
        return (Check(name, False, " ".join((error.message, error.detail)).strip(), error.hint),)


def _server(session: PgConnection, name: str) -> Iterator[Check]:
    number, version, wal_level, standby, encoding = fetch_one(session, _SERVER)
    yield Check(f"{name} version", number >= _OLDEST, version, "use PostgreSQL 15 or newer")
    yield Check(
        f"{name} primary", not standby, "standby" if standby else "primary", "point the connection at the primary"
    )
    yield Check(
        f"{name} encoding", encoding != "SQL_ASCII", encoding, "use a database with a real encoding, such as UTF8"
    )
    # trigger capture works at every level, so another level is no failure
    yield Check(f"{name} wal_level", True, wal_level, "" if wal_level == "logical" else "set wal_level = logical")


def _schema(session: PgConnection, name: str) -> Check:
    may, database, user = fetch_one(session, _SCHEMA_RIGHT)
    grant = _text(session, "GRANT CREATE ON DATABASE {} TO {}", database, user)
    return Check(f"{name} schema", may, "may create schema trickle" if may else "may not create a schema", grant)


def _table(session: PgConnection, name: str, source: SourceTable) -> Iterator[Check]:
    title = f"{name} table {source.name}"
    try:
        table = describe(session, source)
    except ProjectError as error:
        yield Check(title, False, error.message, error.hint)
        return
    yield _rights(session, title, table)


def _rights(session: PgConnection, title: str, table: Description) -> Check:
    owner, select, hidden, owned_by, user = fetch_one(session, _TABLE_RIGHTS, (table.relid,))
    if not owner:
        return Check(title, False, "no right to create triggers", _text(session, "GRANT {} TO {}", owned_by, user))
    if not select:
        where = table.root
        grant = _text(session, "GRANT SELECT ON {}.{} TO {}", where.schema, where.table, user)
        return Check(title, False, "no right to read it", grant)
    if hidden:
        return Check(
            title, False, "row-level security hides rows from us", _text(session, "ALTER ROLE {} BYPASSRLS", user)
        )
    return Check(title, True, f"{len(table.columns)} columns")


def _text(session: PgConnection, statement: str, *names: str) -> str:
    return sql.SQL(statement).format(*(sql.Identifier(name) for name in names)).as_string(session)
