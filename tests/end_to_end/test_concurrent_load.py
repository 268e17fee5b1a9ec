"""Writers never stop: every version a run commits is one committed point of the source."""

from __future__ import annotations

import random
import threading
import time
from pathlib import Path

import psycopg2
import pytest

from tests.end_to_end.workbench import Workbench

pytestmark = [pytest.mark.spark, pytest.mark.postgres]

SECONDS = 60
ACCOUNTS = 50

TABLES = {
    "balances": "select sum(balance) total from {accounts}",
    "movements": "select sum(amount) total from {ledger}",
    "books": "select a.total as held, l.total as moved from {@balances} a cross join {@movements} l",
    "per_account": "select a.id, a.balance, sum(l.amount) moved from {accounts} a join {ledger} l on l.account = a.id "
    "group by a.id, a.balance",
}


class Writers:
    """Threads that move money between accounts, in transactions of random length."""

    def __init__(self, dsn: str, count: int) -> None:
        self._dsn = dsn
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._write, args=(seed,)) for seed in range(count)]
        self.failures: list[str] = []

    def __enter__(self) -> Writers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _write(self, seed: int) -> None:
        chance = random.Random(seed)
        connection = psycopg2.connect(self._dsn)
        while not self._stop.is_set():
            try:
                with connection, connection.cursor() as cursor:
                    for _ in range(chance.randint(1, 4)):
                        self._transfer(cursor, chance)
                    if chance.random() < 0.1:
                        time.sleep(chance.random() / 2)
                    if chance.random() < 0.1:
                        connection.rollback()
            except psycopg2.errors.DeadlockDetected:
                continue
            except psycopg2.Error as error:
                self.failures.append(str(error))
                return
        connection.close()

    @staticmethod
    def _transfer(cursor: psycopg2.extensions.cursor, chance: random.Random) -> None:
        account, amount = chance.randint(1, ACCOUNTS), chance.randint(-20, 20)
        cursor.execute("update accounts set balance = balance + %s where id = %s", (amount, account))
        cursor.execute("insert into ledger (account, amount) values (%s, %s)", (account, amount))


@pytest.mark.timeout(400)
def test_two_table_invariant_holds_at_every_version(tmp_path: Path, database: str) -> None:
    bench = Workbench(tmp_path, database, ["accounts", "ledger"], TABLES)
    bench.execute(
        "create table accounts (id int primary key, balance bigint not null)",
        "create table ledger (account int not null, amount int not null)",
        f"insert into accounts select i, 100 from generate_series(1, {ACCOUNTS}) i",
        f"insert into ledger select i, 100 from generate_series(1, {ACCOUNTS}) i",
    )
    versions = 0
    with Writers(database, 4) as writers:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            bench.run()
            ((held, moved),) = bench.rows("books")
            assert held == moved
            for _, balance, total in bench.rows("per_account"):
                assert balance == total
            versions += 1
    assert not writers.failures
    assert versions >= 5
    bench.run()
    bench.check()
    assert all(verdict.equal for verdict in bench.project.verify(source=True))
