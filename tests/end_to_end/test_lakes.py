"""Several lakes on one database, a lake restored from a backup, and a server that crashes."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.end_to_end.workbench import Workbench

pytestmark = [pytest.mark.spark, pytest.mark.postgres]

TABLES = {
    "by_customer": "select cust, count(*) n, sum(amount) s from {orders} group by cust",
    "large": "select id, amount from {orders} where amount > 5",
}


def make(root: Path, dsn: str) -> Workbench:
    root.mkdir(parents=True, exist_ok=True)
    return Workbench(root, dsn, ["orders"], TABLES)


def seed(bench: Workbench) -> None:
    bench.execute(
        "create table orders (id int primary key, cust int, amount numeric(10,2))",
        "insert into orders select i, i % 3, i % 11 from generate_series(1, 50) i",
    )


def change(bench: Workbench, turn: int) -> None:
    bench.execute(
        f"insert into orders values ({1000 + turn}, {turn % 4}, {turn})",
        f"update orders set amount = amount + 1 where id % 10 = {turn % 10}",
        f"delete from orders where id = {turn + 1}",
    )


def assert_equal_to_source(bench: Workbench) -> None:
    for verdict in bench.project.verify(source=True):
        assert verdict.equal, verdict


def test_two_lakes_run_alternately(tmp_path: Path, database: str) -> None:
    laptop, ci = make(tmp_path / "laptop", database), make(tmp_path / "ci", database)
    seed(laptop)
    laptop.run()
    ci.run()
    for turn in range(20):
        change(laptop, turn)
        bench = laptop if turn % 2 else ci
        assert set(bench.modes().values()) <= {"DIFFERENTIAL", "NO_DATA"}
        change(laptop, turn + 20)
    for bench in (laptop, ci):
        bench.run()
        bench.check()
        assert_equal_to_source(bench)


def test_lake_copied_back_from_earlier_resyncs(tmp_path: Path, database: str) -> None:
    bench = make(tmp_path / "project", database)
    seed(bench)
    bench.run()
    shutil.copytree(bench.root / "lake", tmp_path / "backup")
    for turn in range(3):
        change(bench, turn)
        bench.run()
    shutil.rmtree(bench.root / "lake")
    shutil.copytree(tmp_path / "backup", bench.root / "lake")
    bench = replace(bench)
    report = bench.run()
    assert [run.part for run in report.sources] == ["resync"]
    bench.check()
    assert_equal_to_source(bench)
    change(bench, 7)
    assert set(bench.modes().values()) == {"DIFFERENTIAL"}
    bench.check()


def test_dropped_project_leaves_nothing_behind(tmp_path: Path, database: str) -> None:
    bench = make(tmp_path / "project", database)
    seed(bench)
    bench.run()
    bench.project.drop()
    left = bench.postgres(
        "select count(*) from pg_trigger where tgrelid = 'orders'::regclass and not tgisinternal"
        " union all select count(*) from pg_namespace where nspname = 'trickle'"
    )
    assert left == bench.postgres("select 0 union all select 0")
    assert not (bench.root / "lake").exists()
