"""Whatever statement changes a table, its change buffer holds exactly the difference."""

from __future__ import annotations

import io
import threading
import time

import psycopg2
import pytest

from tests.capture.lake import Lake, source, tuples
from tests.capture.writers import Writers
from trickle.errors import SourceError

pytestmark = pytest.mark.postgres


def captured(writers: Writers, *statements: str) -> Lake:
    writers.run(*statements)
    lake = Lake(writers.dsn)
    assert lake.refresh("t") == {"t": "first copy"}
    assert lake.rows("t") == writers.rows("t")
    return lake


def check(writers: Writers, lake: Lake, *statements: str) -> None:
    """The statements arrive as changes, not as a copy."""
    writers.run(*statements)
    assert lake.refresh("t") == {"t": "changes"}
    assert lake.rows("t") == writers.rows("t")


def test_insert_update_delete_without_a_key(writers: Writers) -> None:
    lake = captured(writers, "create table t (a int, b text)", "insert into t values (1, 'x'), (1, 'x'), (null, null)")
    check(
        writers,
        lake,
        "insert into t select 2, 'y' from generate_series(1, 3)",
        "delete from t where ctid in (select ctid from t where a = 1 limit 1)",
        "update t set b = 'z' where ctid in (select ctid from t where a = 2 limit 2)",
        "update t set a = 7 where a is null",
        "delete from t where a = 12345",
    )


def test_composite_key_swapped_in_one_statement(writers: Writers) -> None:
    keys = "create table t (a int, b int, v text, primary key (a, b) deferrable)"
    lake = captured(writers, keys, "insert into t values (1, 2, 'p'), (2, 1, 'q')")
    check(writers, lake, "update t set a = b, b = a")


def test_on_conflict_and_merge(writers: Writers) -> None:
    lake = captured(
        writers, "create table t (id int primary key, n int)", "insert into t values (1, 1), (2, 2), (3, 3)"
    )
    check(
        writers,
        lake,
        "insert into t values (1, 10), (4, 4) on conflict (id) do update set n = t.n + excluded.n",
        "insert into t values (1, 0), (5, 5) on conflict do nothing",
        """merge into t using (values (1, 100), (2, -1), (6, 6)) as s(id, n) on t.id = s.id
           when matched and s.n < 0 then delete when matched then update set n = s.n
           when not matched then insert values (s.id, s.n)""",
    )


def test_writable_cte_and_copy_from(writers: Writers) -> None:
    lake = captured(writers, "create table t (id int, n int)", "insert into t values (1, 1), (2, 2)")
    session = psycopg2.connect(writers.dsn)
    with session, session.cursor() as cursor:
        cursor.copy_expert("copy t from stdin", io.StringIO("".join(f"{i}\t{i}\n" for i in range(10, 3010))))
    session.close()
    check(
        writers,
        lake,
        """with gone as (delete from t where id = 1 returning n),
           more as (insert into t select 99, n from gone returning id)
           update t set n = n + 1 where id = 2""",
    )


def test_truncate_is_ordered_against_its_neighbours(writers: Writers) -> None:
    lake = captured(writers, "create table t (id int)", "insert into t values (1), (2)")
    check(writers, lake, "insert into t values (3)", "truncate t", "insert into t values (4)")
    check(writers, lake, "truncate t")
    assert lake.rows("t") == {}
    check(writers, lake, "insert into t values (5)", "truncate t", "truncate t", "insert into t values (6)")
    session = writers.open("insert into t values (7)", "truncate t", "insert into t values (8)", "savepoint s")
    session.run("truncate t", "insert into t values (9)", "rollback to s", "delete from t where id = 8").commit()
    check(writers, lake, "insert into t values (10)")
    writers.open("truncate t").rollback()
    check(writers, lake, "insert into t values (11)")


def test_truncate_that_commits_late(writers: Writers) -> None:
    lake = captured(writers, "create table t (id int)", "insert into t values (1), (2)")
    session = writers.open("truncate t", "insert into t values (3)")
    with lake.database.cut(lake.id, [source("t")], lake.since, lake.known) as cut:
        assert cut.pending(source("t").name) == 0
        lake.seal(cut.position, [source("t")])
    session.commit()
    check(writers, lake, "insert into t values (4)")


def test_copy_beside_changes_notices_a_truncate_after_the_snapshot(writers: Writers) -> None:
    lake = captured(writers, "create table t (id int)", "insert into t values (1)")
    name = source("t").name
    with lake.database.cut(lake.id, [source("t")], lake.since, lake.known) as cut:
        assert tuples(cut.copy(name)) == [(1,)]
    with lake.database.cut(lake.id, [source("t")], lake.since, lake.known) as cut:
        writers.run("truncate t")
        with pytest.raises(Exception, match="changed after the snapshot"):
            cut.copy(name)


@pytest.mark.parametrize("timing", ["", "deferrable initially deferred"])
def test_self_referencing_cascades(writers: Writers, timing: str) -> None:
    tree = f"create table t (id int primary key, up int references t on delete cascade on update cascade {timing})"
    grow = "insert into t values (1, null)"
    lake = captured(writers, tree, grow, "insert into t select i, i / 2 from generate_series(2, 31) i")
    check(writers, lake, "update t set id = 1000 where id = 2", "delete from t where id = 3")
    check(writers, lake, "delete from t where id in (1000, 1)")


def test_cascade_from_another_table(writers: Writers) -> None:
    writers.run("create table p (id int primary key)", "insert into p select generate_series(1, 9)")
    child = "create table t (id int, p int references p on delete set null on update cascade)"
    lake = captured(writers, child, "insert into t select i, i % 9 + 1 from generate_series(1, 40) i")
    check(writers, lake, "delete from p where id < 3", "update p set id = id + 100 where id > 7")
    check(writers, lake, "truncate p cascade", "insert into t values (1, null)")


def test_rows_changed_by_the_users_own_triggers(writers: Writers) -> None:
    lake = captured(
        writers,
        "create table t (id int, v text)",
        """create function up() returns trigger language plpgsql as $$begin
             if new.id < 0 then return null; end if; new.v := upper(new.v); return new; end$$""",
        """create function echo() returns trigger language plpgsql as $$begin
             if pg_trigger_depth() < 2 then insert into t select id + 100, v from fresh; end if; return null; end$$""",
        "create trigger b before insert on t for each row execute function up()",
        "create trigger a after insert on t referencing new table as fresh for each statement execute function echo()",
    )
    check(writers, lake, "insert into t values (1, 'x'), (-1, 'never')")


def test_replica_role_does_not_silence_capture(writers: Writers) -> None:
    lake = captured(writers, "create table t (id int)")
    writers.open("set local session_replication_role = replica", "insert into t values (1)").commit()
    check(writers, lake, "insert into t values (2)")


def test_stored_generated_columns(writers: Writers) -> None:
    lake = captured(writers, "create table t (a int, twice int generated always as (a * 2) stored)")
    check(writers, lake, "insert into t values (1), (2)", "update t set a = 5 where a = 1")


def test_role_without_rights_on_our_schema_can_write(writers: Writers) -> None:
    lake = captured(writers, "create table t (id int)")
    writers.run(
        "drop role if exists clerk", "create role clerk", "grant select, insert, update, delete, truncate on t to clerk"
    )
    writers.open("set role clerk", "insert into t values (1), (2)", "update t set id = 3 where id = 1").commit()
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        writers.open("set role clerk", "select * from trickle.gaps")
    check(writers, lake, "delete from t where id = 2")
    writers.run("drop owned by clerk", "drop role clerk")


def test_truncate_that_waits_for_a_copy_does_not_hang_it(writers: Writers) -> None:
    lake = captured(writers, "create table t (id int)", "insert into t select generate_series(1, 1000)")
    with lake.database.cut(lake.id, [source("t")], lake.since, lake.known) as cut:
        rows = cut.copy(source("t").name)
        truncation = threading.Thread(target=writers.open().run, args=("truncate t",))
        truncation.start()
        while not writers.query("select 1 from pg_locks where not granted"):
            time.sleep(0.01)
        assert len(tuples(rows)) == 1000
        assert len(tuples(cut.copy(source("t").name))) == 1000
    truncation.join()


def test_copies_are_read_one_after_the_other(writers: Writers) -> None:
    lake = captured(writers, "create table t (id int)", "insert into t select generate_series(1, 1000)")
    name = source("t").name
    with lake.database.cut(lake.id, [source("t")], lake.since, lake.known) as cut:
        first, second = cut.copy(name), cut.copy(name)
        assert first.read_next_batch().num_rows
        with pytest.raises(SourceError, match="still being read"):
            second.read_next_batch()
