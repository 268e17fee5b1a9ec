"""A partitioned table is one source: writes to its root, to a branch or to a leaf all arrive, each row once."""

from __future__ import annotations

import pytest

from tests.capture.lake import Lake, source
from tests.capture.writers import Writers

pytestmark = pytest.mark.postgres


@pytest.fixture
def lake(writers: Writers) -> Lake:
    writers.run(
        "create table t (k int, junk text, v text) partition by list (k)",
        "alter table t drop column junk",
        "create table t1 (v text, k int)",
        "alter table t attach partition t1 for values in (1)",
        "create table t2 partition of t for values in (2, 3) partition by list (v)",
        "create table t2a partition of t2 for values in ('a')",
        "create table t2z (x int, v text, k int)",
        "alter table t2z drop column x",
        "alter table t2 attach partition t2z default",
        "insert into t values (1, 'p'), (2, 'a'), (3, 'z')",
    )
    lake = Lake(writers.dsn)
    assert lake.refresh("t") == {"t": "first copy"}
    return lake


def test_writes_through_every_level(writers: Writers, lake: Lake) -> None:
    writers.run(
        "insert into t values (1, 'r'), (2, 'a'), (2, 'b')",
        "insert into t1 (k, v) values (1, 'leaf')",
        "insert into t2 values (3, 'branch')",
        "insert into t2z (k, v) values (2, 'deep')",
        "update t2z set v = v || '!' where k = 2",
        "delete from t1 where v = 'p'",
        "delete from t2 where v = 'a'",
    )
    assert lake.refresh("t") == {"t": "changes"}
    assert lake.rows("t") == writers.rows("t")


def test_rows_that_move_between_partitions(writers: Writers, lake: Lake) -> None:
    writers.run(
        "update t set k = 2 where k = 1", "update t2 set v = 'a' where v = 'z'", "update t set k = k % 2 + 1, v = 'm'"
    )
    assert lake.refresh("t") == {"t": "changes"}
    assert lake.rows("t") == writers.rows("t")


def test_truncated_partition_is_copied_again(writers: Writers, lake: Lake) -> None:
    writers.run("truncate t1")
    assert "partition was truncated" in lake.refresh("t")["t"]
    assert lake.rows("t") == writers.rows("t")
    writers.run("truncate t", "insert into t values (1, 'after')")
    lake.refresh("t")
    assert lake.rows("t") == writers.rows("t")
    writers.run("insert into t1 (k, v) values (1, 'more')")
    assert lake.refresh("t") == {"t": "changes"}


@pytest.mark.parametrize("when", ["before prepare", "between prepare and cut"])
def test_new_and_detached_partitions_are_noticed(writers: Writers, lake: Lake, when: str) -> None:
    ddl = ("create table t9 partition of t for values in (9)", "insert into t9 values (9, 'nine')")
    writers.run(*ddl)
    if when == "between prepare and cut":
        assert lake.cut([source("t")]) == {"t": "its partitions changed"}
    assert lake.refresh("t") == {"t": "its capture was installed again since the last cut"}
    assert lake.rows("t") == writers.rows("t")
    writers.run("insert into t9 values (9, 'direct')")
    assert lake.refresh("t") == {"t": "changes"}
    writers.run("alter table t detach partition t1", "insert into t1 (k, v) values (1, 'elsewhere')")
    assert lake.refresh("t") == {"t": "its capture was installed again since the last cut"}
    writers.run("insert into t1 (k, v) values (1, 'not ours')")
    assert lake.refresh("t") == {"t": ""}
    assert lake.rows("t") == writers.rows("t")
