"""Tables and columns may be called anything."""

from __future__ import annotations

import pytest

from tests.capture.lake import Lake, source
from tests.capture.writers import Writers
from trickle.errors import ProjectError
from trickle.model.schema import weight_column

pytestmark = pytest.mark.postgres

ODD = ["__w", "__epoch", "epoch", "action", "lsn", "select", "Mixed Case", "n", "xid", "seq", "w", "c1", "failure"]
ODD += ["tg_op", "found", "new_rows", "old_rows", "größe", 'quo"te', "semi;colon", "per%cent", "{brace}", "日本", "a.b"]


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def test_columns_may_be_called_anything(writers: Writers, lake: Lake) -> None:
    columns = ", ".join(f"{quoted(name)} int" for name in ODD)
    writers.run(f"create table t ({columns})")
    schema = lake.database.describe([source("t")])[source("t").name]
    assert list(schema.names) == ODD
    assert weight_column(schema.names) == "__w_"
    lake.refresh("t")
    numbers = ", ".join(str(i) for i in range(len(ODD)))
    writers.run(f"insert into t values ({numbers})", "update t set epoch = -1", "insert into t (lsn) values (7)")
    assert lake.refresh("t") == {"t": "changes"}
    assert lake.rows("t") == writers.rows("t")


def test_tables_may_be_called_anything(writers: Writers, lake: Lake) -> None:
    names = ["Order Items", "select", "größe", 'quo"te', "a.b", "per%s", "x" * 63]
    writers.run('create schema "My Schema"')
    for name in names:
        writers.run(f'create table "My Schema".{quoted(name)} (id int primary key)')
    sources = [source(name, "My Schema") for name in names]
    assert set(lake.refresh(*sources).values()) == {"first copy"}
    for name in names:
        writers.run(f'insert into "My Schema".{quoted(name)} values (1), (2)')
    assert set(lake.refresh(*sources).values()) == {"changes"}
    assert all(sum(lake.rows(name).values()) == 2 for name in names)


def test_columns_that_differ_only_by_case_are_refused(writers: Writers, lake: Lake) -> None:
    writers.run('create table t (id int, "ID" int)')
    with pytest.raises(ProjectError, match='"id" and "ID" differ only by case'):
        lake.database.describe([source("t")])


def test_missing_table_gets_a_suggestion(writers: Writers, lake: Lake) -> None:
    writers.run("create table customers (id int)")
    with pytest.raises(ProjectError, match=r"did you mean public\.customers"):
        lake.database.describe([source("custmers")])


NO_ORDINARY_TABLE = [
    ("create view t as select 1 as a", "it is a view"),
    ("create materialized view t as select 1 as a", "it is a materialized view"),
    ("create unlogged table t (a int)", "not a logged table"),
    ("create table p (a int) partition by list (a); create table t partition of p default", "it is a partition"),
    ("create table p (a int); create table t () inherits (p)", "inheritance"),
    ("create table t (a int); create table p () inherits (t)", "inheritance"),
    ("create table t ()", "no columns"),
]


def test_what_is_no_ordinary_table_is_refused(writers: Writers, lake: Lake) -> None:
    for place, (ddl, why) in enumerate(NO_ORDINARY_TABLE):
        writers.run(f"create schema s{place}", f"set search_path = s{place}", ddl)
        with pytest.raises(ProjectError, match=why):
            lake.database.describe([source("t", f"s{place}")])


def test_key_and_nullability_are_described(writers: Writers, lake: Lake) -> None:
    writers.run("create table t (a int, b int not null, c int, primary key (c, a))")
    schema = lake.database.describe([source("t")])[source("t").name]
    assert schema.key == ("c", "a")
    assert [(column.name, column.nullable) for column in schema.columns] == [("a", False), ("b", False), ("c", False)]


def test_one_bad_table_does_not_hide_the_others(writers: Writers, lake: Lake) -> None:
    writers.run("create table good (a int)", "create view bad as select 1 as a")
    schemas, problems = lake.database.examine([source("bad"), source("good")])
    assert list(schemas) == [source("good").name]
    assert list(problems) == [source("bad").name]
    errors = lake.database.prepare(lake.id, [source("bad"), source("good")])
    assert list(errors) == [source("bad").name]
