"""Several lakes on one database, lakes that went back in time, and cuts that were interrupted."""

from __future__ import annotations

import copy
import threading
from dataclasses import replace

import pytest

from tests.capture.lake import CONNECTION, Lake, source
from tests.capture.writers import Writers
from trickle.errors import LockHeldError, SourceError

pytestmark = pytest.mark.postgres

T = source("t")


@pytest.fixture(autouse=True)
def captured(writers: Writers, lake: Lake) -> None:
    writers.run("create table t (id int primary key, v int)", "insert into t values (1, 1), (2, 2)")
    lake.refresh("t")


def buffered(writers: Writers) -> int:
    ((relid,),) = writers.query("select 't'::regclass::oid")
    ((rows,),) = writers.query(f"select count(*) from trickle.changes_{relid}")
    return rows


def left_over(writers: Writers) -> int:
    """Triggers and schemas of ours."""
    triggers = "select count(*) from pg_trigger where tgname like 'trickle%%'"
    ((count,),) = writers.query(f"select ({triggers}) + (select count(*) from pg_namespace where nspname = 'trickle')")
    return count


def test_rows_are_kept_until_every_lake_has_them(writers: Writers, lake: Lake) -> None:
    other = Lake(writers.dsn)
    assert other.refresh("t") == {"t": "first copy"}
    for turn in range(4):
        writers.run(f"insert into t values ({turn + 10}, 0)", "update t set v = v + 1 where id < 3")
        fast, slow = (lake, other) if turn % 2 else (other, lake)
        for _ in range(2):
            fast.refresh("t")
            assert fast.rows("t") == writers.rows("t")
        assert buffered(writers) > 0
        assert slow.refresh("t") == {"t": "changes"}
        assert slow.rows("t") == writers.rows("t")
        assert buffered(writers) == 0


def test_rows_of_open_transactions_survive_trimming(writers: Writers, lake: Lake) -> None:
    late = writers.open("insert into t values (50, 0)")
    writers.run("insert into t values (51, 0)")
    lake.refresh("t")
    late.commit()
    assert buffered(writers) == 1
    lake.refresh("t")
    assert (50, 0) in lake.rows("t")


def test_lake_restored_from_a_backup_is_copied_again(writers: Writers, lake: Lake) -> None:
    backup = copy.deepcopy((lake.mirrors, lake.since, lake.cuts))
    writers.run("insert into t values (3, 3)")
    lake.refresh("t")
    lake.mirrors, lake.since, lake.cuts = backup
    lake.database.sealed(lake.id, lake.cuts[-1], CONNECTION)
    writers.run("insert into t values (4, 4)")
    assert lake.refresh("t") == {"t": "the lake is older than what was already released for it"}
    assert lake.rows("t") == writers.rows("t")
    writers.run("insert into t values (5, 5)")
    assert lake.refresh("t") == {"t": "changes"}


def test_positions_of_another_server_mean_a_copy(writers: Writers, lake: Lake) -> None:
    was = lake.since[T.name]
    for wrong in (
        replace(was, system_id="1:2"),
        replace(was, timeline=was.timeline + 1),
        replace(was, snapshot="9000000000:9000000000:"),
    ):
        lake.since[T.name] = wrong
        lake.database.sealed(lake.id, replace(lake.cuts[-1], positions={CONNECTION: wrong}), CONNECTION)
        assert lake.refresh("t")["t"] not in ("", "changes")
    assert lake.refresh("t") == {"t": ""}


def test_crash_between_seal_and_registration_costs_no_copy(writers: Writers) -> None:
    lake = Lake(writers.dsn)
    lake.database.prepare(lake.id, [T])
    for _ in range(2):
        with lake.database.cut(lake.id, [T], lake.since, lake.known) as cut:
            lake._take(T.name, cut)
            lake.since[T.name] = cut.position
        writers.run("update t set v = v + 1")
    assert lake.refresh("t") == {"t": "changes"}
    assert lake.rows("t") == writers.rows("t")


def test_recorded_cut_is_completed_to_the_same_position(writers: Writers, lake: Lake) -> None:
    writers.run("insert into t values (3, 3)", "delete from t where id = 1")
    late = writers.open("insert into t values (4, 4)")
    with lake.database.cut(lake.id, [T], lake.since, lake.known) as cut:
        position = cut.position
    expected = writers.rows("t")
    late.commit()
    writers.run("insert into t values (5, 5)", "truncate t")
    assert lake.database.prepare(lake.id, [T]) == {}
    with lake.database.reopen(lake.id, [T], lake.since, position) as cut:
        assert cut.pending(T.name) == 2
        with pytest.raises(SourceError, match="cannot copy"):
            cut.copy(T.name)
        lake.apply(T.name, cut)
        lake.seal(position, [T])
    assert lake.rows("t") == expected
    lake.refresh("t")
    assert lake.rows("t") == writers.rows("t")


def test_recorded_cut_is_not_completed_after_a_reinstall(writers: Writers, lake: Lake) -> None:
    writers.run("insert into t values (3, 3)")
    with lake.database.cut(lake.id, [T], lake.since, lake.known) as cut:
        position = cut.position
    writers.run("alter table t add column c int")
    lake.database.prepare(lake.id, [T])
    with lake.database.reopen(lake.id, [T], lake.since, position) as cut:
        assert cut.must_copy(T.name)
        with pytest.raises(SourceError):
            cut.pending(T.name)
        with pytest.raises(SourceError):
            cut.changes(T.name)


def test_recorded_cut_of_another_server_is_refused(writers: Writers, lake: Lake) -> None:
    with (
        pytest.raises(SourceError, match="cannot be completed"),
        lake.database.reopen(lake.id, [T], lake.since, lake.since[T.name].__class__("1:1", 1, "3:3:", "0/0")),
    ):
        pass


def test_dropping_one_lake_leaves_the_other(writers: Writers, lake: Lake) -> None:
    other = Lake(writers.dsn)
    other.refresh("t")
    lake.database.drop(lake.id, None)
    writers.run("insert into t values (9, 9)")
    assert other.refresh("t") == {"t": "changes"}
    other.database.drop(other.id, [T])
    ((relid,),) = writers.query("select 't'::regclass::oid")
    assert writers.query(f"select to_regclass('trickle.changes_{relid}')") == [(None,)]
    other.database.drop(other.id, None)
    assert left_over(writers) == 0
    other.database.drop(other.id, None)


@pytest.mark.parametrize("missing", ["trickle.captures", "trickle.gaps", "trickle.lakes cascade", "t"])
def test_drop_works_with_missing_parts(writers: Writers, lake: Lake, missing: str) -> None:
    writers.run(f"drop table {missing}")
    lake.database.drop(lake.id, None)
    assert left_over(writers) == 0


def test_lakes_that_prepare_at_once(writers: Writers) -> None:
    writers.run("create table u (id int)", "drop schema trickle cascade")
    lakes = [Lake(writers.dsn) for _ in range(4)]
    failed: list[object] = []

    def refresh(lake: Lake) -> None:
        try:
            lake.refresh("t", "u")
        except Exception as error:  # noqa: BLE001 - the test shows whatever it is
            failed.append(error)

    threads = [threading.Thread(target=refresh, args=(lake,)) for lake in lakes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    writers.run("insert into u values (1)")
    assert all(lake.refresh("t", "u") == {"t": "", "u": "changes"} for lake in lakes)


def test_second_holder_is_told_who_holds(lake: Lake, writers: Writers) -> None:
    with (
        lake.database.hold(lake.id, "run 42 on laptop (pid 7)"),
        pytest.raises(LockHeldError, match="run 42 on laptop \\(pid 7\\)"),
        Lake(writers.dsn).database.hold(lake.id, "run 43"),
    ):
        pass
    with lake.database.hold(lake.id, "again"), lake.database.hold("another lake", "beside"):
        pass
