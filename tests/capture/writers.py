"""Application sessions: the other side of capture."""

from __future__ import annotations

from collections import Counter
from types import TracebackType
from typing import Any

import psycopg2
from psycopg2.extensions import connection as PgConnection  # noqa: N812


class Writers:
    """`run` commits each statement; `open` gives a session with a transaction of its own."""

    def __init__(self, dsn: str) -> None:
        self.dsn = dsn
        self._opened: list[PgConnection] = []
        self._auto = psycopg2.connect(dsn)
        self._auto.autocommit = True

    def __enter__(self) -> Writers:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        for session in (self._auto, *self._opened):
            session.close()

    def run(self, *statements: str) -> None:
        with self._auto.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def notices(self) -> list[str]:
        return self._auto.notices

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        with self._auto.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall()

    def rows(self, table: str) -> Counter[tuple[Any, ...]]:
        return Counter(self.query(f"select * from {table}"))

    def open(self, *statements: str) -> Session:
        session = psycopg2.connect(self.dsn)
        self._opened.append(session)
        return Session(session).run(*statements)


class Session:
    """One session in a transaction."""

    def __init__(self, session: PgConnection) -> None:
        self._session = session

    def run(self, *statements: str) -> Session:
        with self._session.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
        return self

    def commit(self) -> None:
        self._session.commit()

    def rollback(self) -> None:
        self._session.rollback()

    def close(self) -> None:
        self._session.close()
