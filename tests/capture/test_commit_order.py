"""A change belongs to the cut in which its transaction is visible, whenever it was written."""

from __future__ import annotations

import pytest

from tests.capture.lake import Lake, source
from tests.capture.writers import Writers

pytestmark = pytest.mark.postgres

TABLE = "create table t (id int primary key, v text)"


@pytest.fixture(autouse=True)
def captured(writers: Writers, lake: Lake) -> None:
    writers.run(TABLE, "insert into t values (1, 'one')")
    assert lake.refresh("t") == {"t": "first copy"}


def test_insert_that_commits_after_a_later_one(writers: Writers, lake: Lake) -> None:
    early = writers.open("insert into t values (2, 'early')")
    writers.run("insert into t values (3, 'late')")
    lake.refresh("t")
    assert lake.rows("t") == writers.rows("t")
    early.commit()
    assert lake.refresh("t") == {"t": "changes"}
    assert lake.rows("t") == writers.rows("t")
    assert (2, "early") in lake.rows("t")


def test_chain_of_overlapping_transactions(writers: Writers, lake: Lake) -> None:
    before = writers.open("insert into t values (10, 'x')")
    for key in range(11, 19):
        after = writers.open(f"insert into t values ({key}, 'x')", f"update t set v = 'y{key}' where id = 1")
        lake.refresh("t")
        assert lake.rows("t") == writers.rows("t")
        after.run("savepoint s")
        before.commit()
        lake.refresh("t")
        assert lake.rows("t") == writers.rows("t")
        after.commit()
        before = writers.open(f"insert into t values ({key + 100}, 'z')")
    before.commit()
    lake.refresh("t")
    assert lake.rows("t") == writers.rows("t")


def test_prepared_transaction_counts_when_it_is_committed(writers: Writers, lake: Lake) -> None:
    writers.open("insert into t values (2, 'two')", "prepare transaction 'p'").commit()
    writers.open("insert into t values (3, 'three')", "prepare transaction 'q'").commit()
    writers.run("insert into t values (5, 'commits between preparing and committing')")
    lake.refresh("t")
    assert lake.rows("t") == writers.rows("t")
    writers.run("commit prepared 'p'", "rollback prepared 'q'", "insert into t values (4, 'four')")
    lake.refresh("t")
    assert lake.rows("t") == writers.rows("t")
    assert (2, "two") in lake.rows("t")


def test_savepoint_that_was_rolled_back_leaves_nothing(writers: Writers, lake: Lake) -> None:
    session = writers.open(
        "insert into t values (2, 'kept')",
        "savepoint a",
        "insert into t values (3, 'gone')",
        "update t set v = 'gone' where id = 1",
        "rollback to a",
        "savepoint b",
        "update t set v = 'kept' where id = 1",
        "release b",
    )
    lake.refresh("t")
    assert lake.rows("t") == writers.rows("t")
    session.commit()
    lake.refresh("t")
    assert lake.rows("t") == writers.rows("t")


def test_session_idle_in_transaction_after_its_write(writers: Writers, lake: Lake) -> None:
    idle = writers.open("update t set v = 'idle' where id = 1")
    for key in range(2, 5):
        writers.run(f"insert into t values ({key}, 'x')")
        lake.refresh("t")
        assert lake.rows("t") == writers.rows("t")
    idle.commit()
    lake.refresh("t")
    assert lake.rows("t") == writers.rows("t")


def test_writer_that_was_open_before_the_first_copy(writers: Writers) -> None:
    writers.run("create table u (id int)")
    session = writers.open("select 1")
    lake = Lake(writers.dsn)
    assert lake.refresh("u") == {"u": "first copy"}
    session.run("insert into u values (1)")
    session.commit()
    lake.refresh("u")
    assert lake.rows("u") == writers.rows("u")


def test_serializable_writers(writers: Writers, lake: Lake) -> None:
    writer = writers.open("set transaction isolation level serializable", "update t set v = v || '!' where id = 1")
    writers.run("insert into t values (5, 'commits in between')")
    lake.refresh("t")
    writer.commit()
    assert lake.refresh("t") == {"t": "changes"}
    assert lake.rows("t") == writers.rows("t")


def test_nothing_pending_is_nothing(lake: Lake) -> None:
    assert lake.refresh("t") == {"t": ""}


def test_pending_rows_are_counted_without_a_cut(writers: Writers, lake: Lake) -> None:
    writers.run("insert into t values (2, 'b')", "update t set v = 'c' where id = 2", "truncate t")
    writers.open("insert into t values (9, 'open')")
    name = source("t").name
    assert lake.database.pending(lake.id, [source("t")], lake.since) == {name: 4}
    assert lake.database.pending(lake.id, [source("t")], {}) == {name: None}
