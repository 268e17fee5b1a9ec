"""Run a user's own statements, for `trickle db exec` and for seeding an embedded database."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

import psycopg2

from trickle.capture.session import open_session
from trickle.errors import SourceError


def execute(dsn: str, sql: str) -> tuple[Sequence[str], Sequence[Sequence[object]]] | None:
    """Run statements in one transaction; columns and rows of the last one, None when it yields none."""
    try:
        with closing(open_session(dsn, "db")) as session, session, session.cursor() as cursor:
            cursor.execute(sql)
            if cursor.description is None:
                return None
            return tuple(column.name for column in cursor.description), cursor.fetchall()
    except psycopg2.Error as error:
        raise SourceError("the statement failed", detail=str(error).strip()) from error
