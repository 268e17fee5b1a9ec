"""What a user sees of modes, reasons, locks and names."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import psycopg2
import pytest

from tests.end_to_end.workbench import Workbench
from trickle.errors import LockHeldError

pytestmark = [pytest.mark.spark, pytest.mark.postgres]


def orders(root: Path, dsn: str, tables: dict[str, str], config: dict[str, str] | None = None) -> Workbench:
    bench = Workbench(root, dsn, ["orders"], tables, config=config or {})
    bench.execute(
        "create table orders (id int primary key, cust int, amount numeric(10,2))",
        "insert into orders select i, i % 3, i % 11 from generate_series(1, 50) i",
    )
    return bench


def test_differential_table_downstream_of_a_full_one_stays_differential(tmp_path: Path, database: str) -> None:
    tables = {
        "ranked": "select id, cust, amount, rank() over (partition by cust order by amount) r from {orders}",
        "firsts": "select cust, count(*) n from {@ranked} where r = 1 group by cust",
    }
    bench = orders(tmp_path, database, tables, {"ranked": "refresh_mode='full'"})
    bench.run()
    for turn in range(3):
        bench.execute(
            f"update orders set amount = amount + 5 where id % 10 = {turn}",
            f"insert into orders values ({100 + turn}, 1, 0)",
            f"delete from orders where id = {turn + 20}",
        )
        assert bench.modes() == {"ranked": "FULL", "firsts": "DIFFERENTIAL"}
        bench.check()


def test_nothing_changed_starts_no_jvm_and_commits_nothing(tmp_path: Path, database: str) -> None:
    bench = orders(tmp_path, database, {"total": "select sum(amount) s from {orders}"})
    bench.run()
    before = sorted(path.relative_to(bench.root) for path in (bench.root / "lake").rglob("*"))
    again = replace(bench)
    assert again.modes() == {"total": "NO_DATA"}
    assert again.project._engine().started is False
    assert before == sorted(path.relative_to(bench.root) for path in (bench.root / "lake").rglob("*"))


def test_changed_definition_is_rebuilt_and_its_dependant_gets_a_difference(tmp_path: Path, database: str) -> None:
    tables = {"kept": "select id, amount from {orders} where amount > 5", "n": "select count(*) n from {@kept}"}
    bench = orders(tmp_path, database, tables)
    bench.run()
    changed = {**tables, "kept": "select id, amount from {orders} where amount > 4"}
    bench = replace(bench, tables=changed)
    report = bench.run()
    assert [(run.mode, run.reason.split(":")[0]) for run in report.tables] == [
        ("FULL", "DEFINITION_CHANGED"),
        ("DIFFERENTIAL", "INCREMENTAL"),
    ]
    bench.check()


def test_changed_columns_rebuild_downstream_too(tmp_path: Path, database: str) -> None:
    tables = {"kept": "select id, amount from {orders} where amount > 5", "n": "select count(*) n from {@kept}"}
    bench = orders(tmp_path, database, tables)
    bench.run()
    bench = replace(bench, tables={**tables, "kept": "select id, cust, amount from {orders} where amount > 5"})
    assert bench.modes() == {"kept": "FULL", "n": "FULL"}
    bench.check()
    bench.execute("delete from orders where id < 20")
    assert bench.modes() == {"kept": "DIFFERENTIAL", "n": "DIFFERENTIAL"}
    bench.check()


def test_source_that_gains_a_column_is_copied_again(tmp_path: Path, database: str) -> None:
    bench = orders(tmp_path, database, {"total": "select cust, sum(amount) s from {orders} group by cust"})
    bench.run()
    bench.execute("alter table orders add column note text", "insert into orders values (99, 1, 2, 'x')")
    bench.run()
    bench.check()
    bench = replace(bench, tables={"total": "select note, sum(amount) s from {orders} group by note"})
    bench.run()
    bench.check()


def test_differential_declared_over_chance_fails_with_its_place(tmp_path: Path, database: str) -> None:
    tables = {
        "drawn": "select id, rand() r from {orders}",
        "n": "select 1 x from {orders}",
    }
    bench = orders(tmp_path, database, tables, {"drawn": "refresh_mode='differential'"})
    report = bench.project.run()
    assert not report.ok
    by_name = {run.name: run for run in report.tables}
    assert by_name["drawn"].status == "error"
    assert "tables/drawn.sql:2:" in by_name["drawn"].error
    assert by_name["n"].status == "ok"


def test_second_run_of_the_same_lake_is_refused_naming_the_holder(tmp_path: Path, database: str) -> None:
    bench = orders(tmp_path, database, {"total": "select sum(amount) s from {orders}"})
    bench.run()
    lake_id = bench.project._require_lake().lake_id
    with bench.project.database().open().hold(lake_id, "run 42 on elsewhere"):
        with pytest.raises(LockHeldError, match="run 42 on elsewhere"):
            bench.project.run()
        refused = bench.cli("run")
        assert refused.returncode == 3
        assert "run 42 on elsewhere" in refused.stderr
    bench.run()


def test_odd_names_and_types_travel_through(tmp_path: Path, database: str) -> None:
    name = 'Sales "Ünits", 2024'
    bench = Workbench(
        tmp_path,
        database,
        [name, "select"],
        {
            "odd": f"select `__w` as `__w`, `Order Id`, `épochè`, `select` from {{{name}}}",
            "odd_sum": f"select `__w`, sum(`Order Id`) as `Sum of Ids` from {{{name}}} group by `__w`",
            "keyless": "select `__epoch`, `lsn`, `action` from {select}",
        },
    )
    quoted = '"' + name.replace('"', '""') + '"'
    bench.execute(
        f'create table {quoted} ("Order Id" int, "__w" text, "épochè" timestamptz, '
        '"select" numeric(20,5), primary key ("Order Id", "__w"))',
        'create table "select" ("__epoch" int, lsn text, action bytea)',
        f"insert into {quoted} values (1, 'a', '2024-01-01 00:00:00+02', 1.5), (2, 'a', null, null),"
        " (3, 'ß', now(), -1)",
        "insert into \"select\" values (1, 'x', 'a'), (1, 'x', 'a'), (null, null, null)",
    )
    bench.run()
    bench.check(postgres=False)
    for statement in (
        f'update {quoted} set "Order Id" = "Order Id" + 1, "__w" = "__w" || \'z\'',
        f'delete from {quoted} where "Order Id" = 3',
        'delete from "select" where ctid in (select min(ctid) from "select")',
        'insert into "select" select * from "select"',
    ):
        bench.execute(statement)
        report = bench.run()
        assert "FULL" not in {str(run.mode) for run in report.tables}
        bench.check(postgres=False)
    assert all(verdict.equal for verdict in bench.project.verify(source=True))
    assert bench.rows("keyless") == bench.postgres('select "__epoch", lsn, action from "select"')


def test_json_contract(tmp_path: Path, database: str) -> None:
    bench = orders(tmp_path, database, {"total": "select cust, sum(amount) s from {orders} group by cust"})
    ran = bench.cli("run", "--json")
    assert ran.returncode == 0, ran.stderr
    run = json.loads(ran.stdout)
    assert set(run) >= {"run_id", "epoch", "ok", "tables"}
    assert set(run["tables"][0]) >= {"name", "mode", "reason", "rows_inserted", "rows_deleted", "seconds", "status"}
    plan = json.loads(bench.cli("plan", "--json").stdout)
    assert set(plan["tables"][0]) >= {"name", "declared_mode", "mode", "reason", "location", "pending_rows", "upstream"}
    assert plan["tables"][0]["mode"] == "NO_DATA"
    shown = json.loads(bench.cli("show", "total", "--json").stdout)
    assert sorted((row["cust"], row["s"]) for row in shown) == sorted(
        (int(cust), str(s)) for cust, s in _sums(bench.dsn)
    )
    status = json.loads(bench.cli("status", "--json").stdout)
    assert set(status["sources"][0]) >= {"name", "cdc_mode", "state", "lag_bytes", "pending_rows"}
    assert set(status["tables"][0]) >= {"name", "epoch", "mode", "rows", "last_refresh", "status"}


def _sums(dsn: str) -> list[tuple[int, object]]:
    connection = psycopg2.connect(dsn)
    with connection.cursor() as cursor:
        cursor.execute("select cust, sum(amount) from orders group by cust")
        rows = cursor.fetchall()
    connection.close()
    return rows


def test_query_of_the_current_time_is_refreshed_at_every_run_and_verifies(tmp_path: Path, database: str) -> None:
    tables = {"aged": "select id, current_timestamp() as seen, current_date() as day from {orders} where id < 4"}
    bench = orders(tmp_path, database, tables)
    bench.run()
    first = bench.rows("aged")
    assert all(verdict.equal for verdict in bench.project.verify())
    report = bench.run()
    assert [str(run.mode) for run in report.tables] == ["FULL"]
    assert "changes between refreshes" in report.tables[0].reason
    assert bench.rows("aged") != first
    assert all(verdict.equal for verdict in bench.project.verify())


def test_dropped_source_fails_alone(tmp_path: Path, database: str) -> None:
    bench = Workbench(tmp_path, database, ["a", "b"], {"of_a": "select x from {a}", "of_b": "select x from {b}"})
    bench.execute("create table a (x int)", "create table b (x int)")
    bench.run()
    bench.execute("drop table a", "insert into b values (1)")
    report = bench.project.run()
    assert {run.name: str(run.status) for run in report.tables} == {"of_a": "skipped", "of_b": "ok"}
    assert bench.rows("of_b") == bench.postgres("select x from b")
    bench.execute("create table a (x int)", "insert into a values (7)")
    bench.run()
    bench.check()
