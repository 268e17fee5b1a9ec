"""A write that commits late is not lost, whatever else commits meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg2
import pytest
from psycopg2 import extensions

from tests.end_to_end.workbench import Workbench

pytestmark = [pytest.mark.spark, pytest.mark.postgres]


@contextmanager
def session(dsn: str) -> Iterator[extensions.connection]:
    opened = psycopg2.connect(dsn)
    try:
        yield opened
    finally:
        opened.close()


def write(open_session: extensions.connection, statement: str) -> None:
    with open_session.cursor() as cursor:
        cursor.execute(statement)


@pytest.fixture
def bench(tmp_path: Path, database: str) -> Workbench:
    made = Workbench(
        tmp_path,
        database,
        ["orders"],
        {"all_orders": "select id, amount from {orders}", "total": "select count(*) n, sum(amount) s from {orders}"},
    )
    made.execute(
        "create table orders (id int primary key, amount numeric(10,2))",
        "insert into orders select i, i from generate_series(1, 5) i",
    )
    made.run()
    return made


def test_insert_that_commits_after_a_later_one(bench: Workbench) -> None:
    with session(bench.dsn) as first, session(bench.dsn) as second:
        write(first, "insert into orders values (100, 1)")
        write(second, "insert into orders values (101, 2)")
        second.commit()
        bench.run()
        bench.check()
        first.commit()
    assert bench.modes() == {"all_orders": "DIFFERENTIAL", "total": "DIFFERENTIAL"}
    bench.check()
    assert len(bench.rows("all_orders")) == 7


def test_chain_of_overlapping_transactions(bench: Workbench) -> None:
    previous = psycopg2.connect(bench.dsn)
    write(previous, "insert into orders values (200, 1)")
    for i in range(1, 5):
        following = psycopg2.connect(bench.dsn)
        write(following, f"insert into orders values ({200 + i}, {i})")
        previous.commit()
        previous.close()
        bench.run()
        bench.check()
        previous = following
    previous.commit()
    previous.close()
    bench.run()
    bench.check()
    assert len(bench.rows("all_orders")) == 10


def test_prepared_transaction(bench: Workbench) -> None:
    with session(bench.dsn) as prepared:
        prepared.set_session(autocommit=True)
        write(prepared, "begin")
        write(prepared, "update orders set amount = 99 where id = 1")
        write(prepared, "prepare transaction 'late'")
        bench.execute("insert into orders values (300, 3)")
        bench.run()
        bench.check()
        write(prepared, "commit prepared 'late'")
    bench.run()
    bench.check()


def test_savepoints_with_rollback(bench: Workbench) -> None:
    with session(bench.dsn) as writer:
        write(writer, "insert into orders values (400, 4)")
        write(writer, "savepoint a")
        write(writer, "delete from orders where id < 100")
        write(writer, "rollback to savepoint a")
        write(writer, "savepoint b")
        write(writer, "update orders set id = id + 1000 where id <= 2")
        write(writer, "release savepoint b")
        bench.run()
        bench.check()
        writer.commit()
    bench.run()
    bench.check()


def test_session_idle_in_transaction_after_its_write(bench: Workbench) -> None:
    with session(bench.dsn) as idle:
        write(idle, "delete from orders where id = 3")
        for i in range(3):
            bench.execute(f"insert into orders values ({500 + i}, {i})")
            bench.run()
            bench.check()
        idle.commit()
    bench.run()
    bench.check()
    assert len(bench.rows("all_orders")) == 7


def test_truncate_together_with_inserts(bench: Workbench) -> None:
    with session(bench.dsn) as writer:
        write(writer, "insert into orders values (600, 6)")
        write(writer, "truncate orders")
        write(writer, "insert into orders values (1, 7), (2, 8)")
        writer.commit()
    bench.run()
    bench.check()
    bench.execute("truncate orders")
    bench.run()
    bench.check()
    assert bench.rows("total") == bench.postgres("select 0, null")
