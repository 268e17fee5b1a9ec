"""A server that dies under asynchronous commit forgets transactions and reuses their numbers; no lake is misled."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg2
import pytest

from tests.capture.lake import Lake
from tests.capture.writers import Writers
from tests.conftest import Server, new_server

pytestmark = pytest.mark.postgres

ROUNDS = 3


@pytest.fixture(params=["18", "15"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    server = new_server(tmp_path / "postgres", request.param)
    yield server
    server.remove()


def write_until_the_end(dsn: str, worker: int, stop: threading.Event) -> None:
    try:
        session = psycopg2.connect(dsn)
        session.autocommit = True
        with session.cursor() as cursor:
            cursor.execute("set synchronous_commit = off")
            while not stop.is_set():
                cursor.execute("insert into t (worker, n) values (%s, 0)", (worker,))
                cursor.execute("update t set n = n + 1 where id = (select max(id) from t where worker = %s)", (worker,))
    except psycopg2.Error:
        return


def test_what_a_cut_saw_is_never_forgotten(server: Server) -> None:
    with Writers(server.dsn) as writers:
        writers.run("create table t (id bigserial primary key, worker int, n int)")
    lake = Lake(server.dsn)
    lake.refresh("t")
    for _ in range(ROUNDS):
        stop = threading.Event()
        threads = [threading.Thread(target=write_until_the_end, args=(server.dsn, i, stop)) for i in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(3):
            lake.refresh("t")
        server.stop_immediately()
        stop.set()
        for thread in threads:
            thread.join()
        server.start()
        with Writers(server.dsn) as writers:
            assert lake.refresh("t")["t"] in ("", "changes")
            assert lake.rows("t") == writers.rows("t")
