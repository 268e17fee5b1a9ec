"""kill -9 at every step boundary: the next run ends with equal tables, nothing doubled, and no FULL of its making."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.end_to_end.workbench import Workbench

pytestmark = [pytest.mark.spark, pytest.mark.postgres]

TABLES = {
    "kept": "select id, cust, amount from {orders} where amount > 2",
    "by_customer": "select c.name, count(*) n, sum(o.amount) s from {orders} o join {customers} c on c.id = o.cust "
    "group by c.name",
    "big": "select name, s from {@by_customer} where s > 10",
}


def make(root: Path, dsn: str) -> Workbench:
    bench = Workbench(root, dsn, ["orders", "customers"], TABLES)
    bench.execute(
        "create table orders (id int primary key, cust int, amount numeric(10,2))",
        "create table customers (id int primary key, name text)",
        "insert into customers select i, 'c' || i from generate_series(1, 5) i",
        "insert into orders select i, i % 5 + 1, i from generate_series(1, 40) i",
    )
    return bench


def change(bench: Workbench) -> None:
    bench.execute(
        "update orders set amount = amount + 1 where id % 3 = 0",
        "delete from orders where id % 7 = 0",
        "insert into orders select m + i, 2, 5 from (select max(id) m from orders) x, generate_series(1, 5) i",
        "update customers set name = name || '!' where id = 2",
    )


FIRST_RUN = [
    "capture.prepared",
    "ingest.prepared",
    "capture.snapshot",
    "ingest.begun",
    "ingest.copy_stored",
    "ingest.before_seal",
    "ingest.sealed",
    "refresh.result_written",
    "refresh.log_restarted",
    "refresh.CommitBaseline",
    "run.table_refreshed",
]
LATER_RUN = [
    "capture.durable",
    "ingest.opened",
    "ingest.begun",
    "ingest.changes_stored",
    "ingest.changes_stored:2",
    "ingest.before_seal",
    "ingest.sealed",
    "ingest.registered",
    "capture.registered",
    "capture.trimmed",
    "refresh.state_written",
    "refresh.AppendState",
    "refresh.delta_written",
    "refresh.CommitDelta",
    "refresh.CommitDelta:2",
    "refresh.fold_written",
    "refresh.Fold",
    "refresh.Fold:3",
    "run.table_refreshed",
]


def kill(bench: Workbench, failpoint: str) -> None:
    died = bench.cli("run", failpoint=failpoint)
    assert died.returncode == -signal.SIGKILL, (failpoint, died.returncode, died.stdout, died.stderr)


@pytest.mark.parametrize("failpoint", FIRST_RUN)
def test_killed_first_run_is_completed_by_the_next(failpoint: str, tmp_path: Path, database: str) -> None:
    bench = make(tmp_path, database)
    kill(bench, failpoint)
    change(bench)
    bench.run()
    bench.check()
    change(bench)
    assert "FULL" not in bench.modes().values()
    bench.check()


@pytest.mark.parametrize("failpoint", LATER_RUN)
def test_killed_differential_run_is_completed_without_full(failpoint: str, tmp_path: Path, database: str) -> None:
    bench = make(tmp_path, database)
    bench.run()
    change(bench)
    kill(bench, failpoint)
    assert "FULL" not in bench.modes().values()
    bench.check()
    change(bench)
    assert "FULL" not in bench.modes().values()
    bench.check()
