"""Whatever happens to a table or to its capture, no change is lost in silence: it arrives, or the source is copied."""

from __future__ import annotations

import psycopg2
import pytest

from tests.capture.lake import Lake, source
from tests.capture.writers import Writers

pytestmark = pytest.mark.postgres

AGAIN = "its capture was installed again since the last cut"


@pytest.fixture(autouse=True)
def captured(writers: Writers, lake: Lake) -> None:
    writers.run("create table t (id int, a text, b text)", "insert into t values (1, 'a', 'b')")
    lake.refresh("t")


# `changes` and `capture` stand for the buffer and the function of table t
DAMAGE: dict[str, tuple[str, ...]] = {
    "column dropped": ("alter table t drop column a", "insert into t values (2, 'x')"),
    "column added": ("alter table t add column c int default 5", "insert into t values (2, 'x', 'y', 6)"),
    "column replaced": (
        "alter table t drop column b",
        "alter table t add column b text default 'n'",
        "insert into t values (2, 'x', 'y')",
    ),
    "type changed": ("alter table t alter id type bigint", "insert into t values (2, 'x', 'y')"),
    "values rewritten": ("alter table t alter id type int using id + 100",),
    "trigger disabled for a while": (
        "alter table t disable trigger user",
        "insert into t values (2, 'missed', '')",
        "alter table t enable trigger user",
        "alter table t enable always trigger trickle_insert",
        "alter table t enable always trigger trickle_update",
        "alter table t enable always trigger trickle_delete",
        "alter table t enable always trigger trickle_truncate",
    ),
    "trigger dropped": ("drop trigger trickle_update on t", "update t set a = 'missed'"),
    "function replaced": (
        "create or replace function trickle.capture() returns trigger language plpgsql as 'begin return null; end'",
        "update t set a = 'missed'",
    ),
    "buffer emptied": ("update t set a = 'missed'", "truncate trickle.changes"),
    "buffer dropped": ("drop table trickle.changes", "update t set a = 'missed'"),
    "gaps dropped too": (
        "drop table trickle.changes, trickle.gaps",
        "update t set a = 'missed'",
    ),
    "schema dropped": ("drop schema trickle cascade", "update t set a = 'missed'"),
    "registry table dropped": ("update t set a = 'x'", "drop table trickle.captures"),
    "table replaced": (
        "alter table t rename to old",
        "create table t (id int, a text, b text)",
        "insert into t values (7, 'new', 'new')",
        "insert into old values (8, 'not', 'ours')",
    ),
}


def do(writers: Writers, damage: str) -> None:
    ((relid,),) = writers.query("select 't'::regclass::oid")
    named = {"trickle.changes": f"trickle.changes_{relid}", "trickle.capture(": f"trickle.capture_{relid}("}
    for statement in DAMAGE[damage]:
        for word, name in named.items():
            statement = statement.replace(word, name)
        writers.run(statement)


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_repaired_by_a_copy(writers: Writers, lake: Lake, damage: str) -> None:
    do(writers, damage)
    assert lake.refresh("t")["t"] not in ("", "changes")
    assert lake.rows("t") == writers.rows("t")
    writers.run("update t set b = 'later'", "insert into t select * from t")
    assert lake.refresh("t") == {"t": "changes"}
    assert lake.rows("t") == writers.rows("t")


@pytest.mark.parametrize(
    "damage", ["column dropped", "trigger disabled for a while", "buffer emptied", "table replaced"]
)
def test_damage_after_prepare_is_seen_inside_the_snapshot(writers: Writers, lake: Lake, damage: str) -> None:
    lake.database.prepare(lake.id, [source("t")])
    do(writers, damage)
    assert lake.cut([source("t")])["t"] not in ("", "changes")
    assert lake.rows("t") == writers.rows("t")
    writers.run("update t set b = 'later'")
    assert lake.refresh("t")["t"] not in ("", "changes")
    assert lake.rows("t") == writers.rows("t")


def test_harmless_ddl_costs_no_copy(writers: Writers, lake: Lake) -> None:
    writers.run(
        "alter table t rename a to tmp",
        "update t set b = 'while renamed'",
        "alter table t rename tmp to a",
        "alter table t alter b set default 'x'",
        "create index on t (a)",
        "analyze t",
        "vacuum t",
        "insert into t values (3, 'x')",
    )
    assert lake.refresh("t") == {"t": "changes"}
    assert lake.rows("t") == writers.rows("t")
    writers.run(
        "vacuum full t", "vacuum full pg_catalog.pg_trigger", "vacuum trickle.gaps", "delete from t where id = 1"
    )
    assert lake.refresh("t")["t"] in ("changes", AGAIN)
    assert lake.rows("t") == writers.rows("t")


def test_swapped_column_names_cannot_swap_values(writers: Writers, lake: Lake) -> None:
    swap = ("alter table t rename a to x", "alter table t rename b to a", "alter table t rename x to b")
    writers.run(*swap, "insert into t values (2, 'second', 'third')", *swap)
    assert lake.refresh("t") == {"t": "changes"}
    assert lake.rows("t") == writers.rows("t")


def test_failed_capture_does_not_fail_the_statement_and_leaves_a_gap(writers: Writers, lake: Lake) -> None:
    writers.run("alter table t drop column a")
    open_writer = writers.open("insert into t values (2, 'late')")
    writers.run("insert into t values (3, 'soon')")
    assert writers.query("select count(*) from trickle.gaps") == [(1,)]
    reason = lake.cut([source("t")])["t"]
    assert reason == "its columns changed"
    assert lake.rows("t") == writers.rows("t")
    open_writer.commit()
    assert lake.refresh("t") == {"t": AGAIN}
    assert lake.rows("t") == writers.rows("t")


def test_gap_marker_alone_is_enough_for_a_copy(writers: Writers, lake: Lake) -> None:
    ((relid,),) = writers.query("select 't'::regclass::oid")
    late = writers.open(f"insert into trickle.gaps (relid, reason) values ({relid}, 'out of something')")
    assert lake.refresh("t") == {"t": ""}
    late.commit()
    assert lake.refresh("t") == {"t": "a change could not be captured (out of something)"}
    assert lake.refresh("t") == {"t": ""}
    assert writers.query("select count(*) from trickle.gaps") == [(0,)]


def test_renamed_enum_label_is_noticed_and_an_added_one_is_not(writers: Writers, lake: Lake) -> None:
    writers.run("create type mood as enum ('sad', 'ok')", "create table m (v mood)", "insert into m values ('sad')")
    lake.refresh("m")
    writers.run("alter type mood add value 'glad'")
    writers.run("insert into m values ('glad')")
    assert lake.refresh("m") == {"m": "changes"}
    writers.run("alter type mood rename value 'sad' to 'blue'")
    assert lake.refresh("m") == {"m": AGAIN}
    assert lake.rows("m") == writers.rows("m")


def test_busy_table_is_an_error_that_names_who_is_in_the_way(writers: Writers) -> None:
    writers.run("create table busy (id int)", "create table free (id int)")
    writers.open("insert into busy values (1)")
    lake = Lake(writers.dsn, patience=0.1)
    errors = lake.database.prepare(lake.id, [source("busy"), source("free")])
    assert list(errors) == [source("busy").name]
    assert "insert into busy values (1)" in errors[source("busy").name]


def test_schema_of_someone_else_is_left_alone(writers: Writers, lake: Lake) -> None:
    lake.database.drop(lake.id, None)
    writers.run("create schema trickle", "create table trickle.lakes (theirs int)")
    with pytest.raises(Exception, match="not ours"):
        lake.database.prepare(lake.id, [source("t")])
    lake.database.drop(lake.id, None)
    assert writers.query("select * from trickle.lakes") == []


def test_loss_that_nothing_could_record_fails_the_statement(writers: Writers, lake: Lake) -> None:
    writers.run(
        "alter table t drop column a",
        "create function full_disk() returns trigger language plpgsql as"
        " 'begin raise exception using errcode = ''disk_full'', message = ''no space''; end'",
        "create trigger full_disk before insert on trickle.gaps for each row execute function full_disk()",
    )
    with pytest.raises(psycopg2.errors.DiskFull):
        writers.run("insert into t values (2, 'b')")
    assert lake.refresh("t")["t"] not in ("", "changes")
    assert lake.rows("t") == writers.rows("t")
