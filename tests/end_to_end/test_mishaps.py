"""Odd values, odd DDL, partial selections and damage: a right table, or an error that goes away with its cause."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.end_to_end.workbench import Workbench

pytestmark = [pytest.mark.spark, pytest.mark.postgres]


def pair(root: Path, dsn: str, tables: dict[str, str]) -> Workbench:
    bench = Workbench(root, dsn, ["a", "b"], tables)
    bench.execute(
        "create table a (id int primary key, v numeric(8,2))",
        "create table b (id int primary key, v numeric(8,2))",
        "insert into a select i, i from generate_series(1, 5) i",
        "insert into b select i, i from generate_series(4, 8) i",
    )
    return bench


def test_full_join_using_in_a_subquery_keeps_keys_of_both_sides(tmp_path: Path, database: str) -> None:
    bench = pair(tmp_path, database, {"keys": "select q.id from (select id from {a} x full join {b} y using (id)) q"})
    bench.run()
    bench.check()


def test_only_a_downstream_table_is_selected(tmp_path: Path, database: str) -> None:
    bench = pair(tmp_path, database, {"u": "select id, v from {a} where v > 1", "d": "select count(*) n from {@u}"})
    bench.run()
    bench.execute("insert into a values (10, 10)")
    assert bench.modes(select=["d"]) == {"d": "NO_DATA"}
    assert bench.modes(exclude=["d"]) == {"u": "DIFFERENTIAL"}
    bench.execute("insert into a values (11, 11)")
    assert bench.modes(select=["d"]) == {"d": "DIFFERENTIAL"}
    bench.check(postgres=False)
    bench.run()
    bench.check()


def test_value_that_cannot_be_stored_is_named_and_forgotten_once_corrected(tmp_path: Path, database: str) -> None:
    bench = pair(tmp_path, database, {"u": "select id, v from {a}", "w": "select id, v from {b}"})
    bench.run()
    for bad in ("alter table a alter v type numeric(8,2)", "update a set v = 'NaN' where id = 1"):
        bench.execute(bad)
    bench.execute("insert into b values (20, 20)")
    report = bench.project.run()
    assert not report.ok
    assert "NaN" in next(run.error for run in report.sources if run.error)
    assert {run.name: str(run.status) for run in report.tables} == {"u": "skipped", "w": "ok"}
    bench.execute("update a set v = 7 where id = 1")
    told: list[str] = []
    bench.run(progress=lambda step: told.append(step.reason))
    assert any("copied again" in reason for reason in told)
    bench.check()


def test_array_with_a_lower_bound_stops_its_source_alone(tmp_path: Path, database: str) -> None:
    bench = Workbench(tmp_path, database, ["a", "b"], {"u": "select id from {a}", "w": "select id from {b}"})
    bench.execute("create table a (id int, t text[])", "create table b (id int)", "insert into a values (1, '{x}')")
    bench.run()
    bench.execute("update a set t = '[2:3]={a,b}'", "insert into b values (1)")
    bench.project.run()
    assert bench.rows("w") == bench.postgres("select id from b")
    bench.execute("update a set t = '{a,b}'")
    bench.run()
    bench.check()


def test_rows_of_a_passing_heir_are_not_kept(tmp_path: Path, database: str) -> None:
    bench = pair(tmp_path, database, {"u": "select id, v from {a}", "n": "select count(*) n, sum(v) s from {a}"})
    bench.run()
    bench.execute(
        "create table heir (id int not null, v numeric(8,2))",
        "insert into heir values (99, 9)",
        "alter table heir inherit a",
        "update a set v = v + 1",
        "alter table heir no inherit a",
    )
    bench.run()
    bench.check()


def test_sign_of_zero_is_kept(tmp_path: Path, database: str) -> None:
    bench = Workbench(tmp_path, database, ["f"], {"z": "select id, cast(x as string) t, x from {f}"})
    bench.execute("create table f (id int, x float8)", "insert into f values (1, 0), (2, 'NaN'), (3, 1)")
    bench.run()
    bench.execute("update f set x = '-0' where id = 1")
    bench.run()
    assert {(str(t), str(x)) for _, t, x in _raw(bench, "z")} == {("-0.0", "-0.0"), ("NaN", "nan"), ("1.0", "1.0")}
    assert all(verdict.equal for verdict in bench.project.verify())


def _raw(bench: Workbench, table: str) -> list[tuple[object, ...]]:
    return list(zip(*(column.to_pylist() for column in bench.project.table(table).columns), strict=True))


def test_pairs_that_exist_in_no_state_are_not_computed_by_full(tmp_path: Path, database: str) -> None:
    tables = {"q": "select count(*) n, sum(b.v / a.v) s from {a} a join {b} b on a.id = b.id"}
    bench = pair(tmp_path, database, tables)
    bench.run()
    bench.execute("begin; update a set v = 0 where id = 4; delete from b where id = 4; commit")
    bench.run()
    assert all(verdict.equal for verdict in bench.project.verify())


def test_damaged_lake_is_built_anew(tmp_path: Path, database: str) -> None:
    bench = pair(tmp_path, database, {"s": "select v, count(*) n from {a} group by v", "u": "select id from {b}"})
    bench.run()
    for part in ("_state", "shop/b"):
        shutil.rmtree(bench.root / "lake" / part)
        bench = replace(bench)
        bench.execute("update a set v = v + 1 where id = 1", "update b set v = v + 1 where id = 4")
        bench.run()
        bench.check()


def test_correlated_subquery_over_a_changed_mirror(tmp_path: Path, database: str) -> None:
    tables = {"q": "select id, (select max(v) from {b} b where b.id = a.id) m from {a} a"}
    bench = pair(tmp_path, database, tables)
    bench.run()
    for statement in ("insert into a values (6, 6)", "update b set v = 9 where id = 6", "delete from b where id = 4"):
        bench.execute(statement)
        bench.run()
        bench.check()


def test_a_key_that_is_dropped_no_longer_rules_out_nulls_or_equal_rows(tmp_path: Path, database: str) -> None:
    tables = {
        "missing": "select v from {a} where id not in (select id from {b})",
        "placed": "select v, row_number() over (order by v) n from {b}",
    }
    bench = pair(tmp_path, database, tables)
    bench.run()
    bench.execute("delete from a where id = 1")
    assert set(bench.modes().values()) == {"DIFFERENTIAL", "NO_DATA"}
    bench.check()
    bench.execute(
        "alter table b drop constraint b_pkey",
        "alter table b alter id drop not null",
        "insert into b values (null, 3), (4, 4)",
    )
    bench.run()
    bench.check()
    bench.execute("delete from b where id is null", "insert into b values (4, 5)")
    bench.run()
    bench.check()
