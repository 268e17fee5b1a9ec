"""PostgreSQL stopped without a checkpoint under asynchronous commit: what a cut saw is never forgotten."""

from __future__ import annotations

import threading
from pathlib import Path

import psycopg2
import pytest

from tests.end_to_end.workbench import Workbench

pytestmark = [pytest.mark.spark, pytest.mark.postgres]

ROUNDS = 10


def write_until_the_server_dies(dsn: str, worker: int, stop: threading.Event) -> None:
    try:
        connection = psycopg2.connect(dsn)
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute("set synchronous_commit = off")
            while not stop.is_set():
                cursor.execute("insert into events (worker, value) values (%s, 1)", (worker,))
                cursor.execute("update events set value = value + 1 where id in (select max(id) from events)")
    except psycopg2.Error:
        return


@pytest.mark.timeout(500)
def test_immediate_stops_under_asynchronous_writers(tmp_path: Path, own_server) -> None:  # type: ignore[no-untyped-def]
    bench = Workbench(
        tmp_path / "project",
        own_server.dsn,
        ["events"],
        {"per_worker": "select worker, count(*) n, sum(value) s from {events} group by worker"},
    )
    bench.execute("create table events (id bigint generated always as identity primary key, worker int, value int)")
    bench.run()
    for _ in range(ROUNDS):
        stop = threading.Event()
        writers = [
            threading.Thread(target=write_until_the_server_dies, args=(own_server.dsn, i, stop)) for i in range(2)
        ]
        for writer in writers:
            writer.start()
        bench.run()
        own_server.stop_immediately()
        stop.set()
        for writer in writers:
            writer.join()
        own_server.start()
        bench.run()
        bench.check()
    assert all(verdict.equal for verdict in bench.project.verify(source=True))
