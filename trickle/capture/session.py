"""Connections to a source database, all with the same pinned settings, so that a value always prints the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import adbc_driver_manager.dbapi
import adbc_driver_postgresql.dbapi
import psycopg2
import psycopg2.errors
import pyarrow as pa
from psycopg2 import sql
from psycopg2.extensions import connection as PgConnection  # noqa: N812 - a class, whatever the library calls it

from trickle.errors import SourceError, TrickleError

_SETTINGS = {
    "TimeZone": "UTC",
    "DateStyle": "ISO, YMD",
    "IntervalStyle": "postgres",
    "extra_float_digits": "1",
    "bytea_output": "hex",
    "client_encoding": "UTF8",
    "search_path": "pg_catalog",
    "default_tablespace": "",
    "row_security": "off",  # a policy that would hide rows is an error, never a shorter copy
    "synchronous_commit": "on",
    "default_transaction_isolation": "read committed",
    "default_transaction_read_only": "off",
    "statement_timeout": "0",
    "lock_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "idle_session_timeout": "0",
    "transaction_timeout": "0",
}
_LONGEST_NAME = 63


def _pin(label: str) -> sql.Composed:
    """One statement that sets whatever of the settings this server's version has."""
    pairs = {**_SETTINGS, "application_name": label.encode()[:_LONGEST_NAME].decode(errors="ignore")}
    rows = sql.SQL(", ").join(
        sql.SQL("({}, {})").format(sql.Literal(name), sql.Literal(value)) for name, value in pairs.items()
    )
    return sql.SQL(
        "SELECT pg_catalog.set_config(s.name, v.value, false)"
        " FROM (VALUES {}) AS v(name, value) JOIN pg_catalog.pg_settings s ON s.name = v.name"
    ).format(rows)


def open_session(dsn: str, connection: str) -> PgConnection:
    """Open a session as the server sets it up; `connection` is its name in the project, for errors."""
    try:
        return psycopg2.connect(dsn)
    except psycopg2.OperationalError as error:
        raise SourceError(
            f'connection "{connection}": the database cannot be reached',
            detail=str(error).strip(),
            hint="check that the server runs and that the dsn is right",
        ) from error
    except psycopg2.Error:
        # libpq quotes parts of a dsn it cannot read, so its message could hold a password
        raise SourceError(f'connection "{connection}": the dsn cannot be read') from None


def connect(dsn: str, connection: str, label: str = "trickle") -> PgConnection:
    """Open a session with pinned settings, called `label` for those who look at the server's sessions."""
    session = open_session(dsn, connection)
    session.set_client_encoding("UTF8")
    with source_errors(f'connection "{connection}"'), session, session.cursor() as cursor:
        cursor.execute(_pin(label))
    return session


def connect_arrow(dsn: str, session: PgConnection) -> adbc_driver_manager.dbapi.Connection:
    """Open a second session that streams Arrow; `session` only serves to print the statement."""
    arrow = adbc_driver_postgresql.dbapi.connect(dsn, autocommit=True)
    run_arrow(arrow, _pin("trickle copy").as_string(session))
    return arrow


def run_arrow(arrow: adbc_driver_manager.dbapi.Connection, statement: str) -> None:
    """Run a statement for its effect."""
    with arrow.cursor() as cursor:
        cursor.execute(statement)


@contextmanager
def source_errors(what: str) -> Iterator[None]:
    """Turn what the drivers raise into SourceError that says what was being done."""
    try:
        yield
    except TrickleError:
        raise
    except psycopg2.Error as error:
        raise SourceError(f"{what}: PostgreSQL refused", detail=_text(error)) from error
    except adbc_driver_manager.dbapi.Error as error:
        raise SourceError(f"{what}: PostgreSQL refused", detail=str(error).strip()) from error
    except pa.ArrowInvalid as error:
        raise SourceError(f"{what}: a value has no form in the lake", detail=str(error).strip()) from error


def _text(error: psycopg2.Error) -> str:
    return (error.diag.message_primary or str(error)).strip()


def fetch(session: PgConnection, statement: str | sql.Composable, parameters: Any = None) -> list[tuple[Any, ...]]:
    """All rows of a query."""
    with session.cursor() as cursor:
        cursor.execute(statement, parameters)
        return cursor.fetchall()


def fetch_one(session: PgConnection, statement: str | sql.Composable, parameters: Any = None) -> tuple[Any, ...]:
    """The only row of a query."""
    (row,) = fetch(session, statement, parameters)
    return row


def run(session: PgConnection, statement: str | sql.Composable, parameters: Any = None) -> None:
    """Run a statement for its effect."""
    with session.cursor() as cursor:
        cursor.execute(statement, parameters)
