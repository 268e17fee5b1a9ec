"""Seconds of FULL and DIFFERENTIAL refreshes of the same query on the same data, and what capture costs a writer.

    python -m benchmarks.refresh --rows 1000000 --rows 10000000

Each query is declared twice, once `full` and once `differential`, so that both refresh to the same epoch in one warm
session. Changes are half updates and half inserts, `scattered` over the table or among its `recent` rows.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg2
from psycopg2 import extensions
from rich.console import Console
from rich.table import Table

from trickle import Project
from trickle.capture.embedded import EmbeddedServer

QUERIES = {
    "filter": "select id, customer, amount from {orders} where amount > 900",
    "aggregate": "select customer, count(*) as n, sum(amount) as total from {orders} group by customer",
    "join": "select o.id, o.amount, c.region from {orders} o join {customers} c on c.id = o.customer "
    "where o.amount > 900",
    "join_aggregate": "select c.region, count(*) as n, sum(o.amount) as total from {orders} o "
    "join {customers} c on c.id = o.customer group by c.region",
}
RATIOS = (0.0001, 0.001, 0.01, 0.1)
CUSTOMERS = 100_000


def write_project(root: Path, dsn: str) -> None:
    """The four queries, each in both modes."""
    (root / "tables").mkdir(parents=True)
    (root / "sources").mkdir()
    (root / "trickle.yml").write_text(
        "name: bench\nlake: ./lake\ntarget: dev\ntargets:\n  dev:\n"
        f"    connections:\n      shop:\n        dsn: {dsn!r}\n"
        "    spark:\n      master: 'local[*]'\n"
    )
    (root / "sources" / "shop.yml").write_text(
        "sources:\n  - name: shop\n    connection: shop\n    schema: public\n    tables: [orders, customers]\n"
    )
    for name, sql in QUERIES.items():
        body = sql.replace("{orders}", "{{ source('shop', 'orders') }}")
        body = body.replace("{customers}", "{{ source('shop', 'customers') }}")
        for mode in ("full", "differential"):
            (root / "tables" / f"{name}_{mode}.sql").write_text(f"{{{{ config(refresh_mode='{mode}') }}}}\n{body}\n")


def load(connection: extensions.connection, rows: int) -> None:
    """Fill the source tables."""
    with connection.cursor() as cursor:
        cursor.execute("drop schema if exists trickle cascade")
        cursor.execute("drop table if exists orders, customers")
        cursor.execute("create table customers (id int primary key, region text not null, name text)")
        cursor.execute(
            "create table orders (id bigint primary key, customer int, amount numeric(12,2), placed timestamptz)"
        )
        cursor.execute(
            "insert into customers select i, 'region ' || i %% 50, 'name ' || i from generate_series(1, %s) i",
            (CUSTOMERS,),
        )
        cursor.execute(
            "insert into orders select i, 1 + (i::bigint * 7919) %% %s, (i::bigint * 31 %% 100000) / 100.0,"
            " timestamptz '2024-01-01' + i * interval '1 second' from generate_series(1, %s) i",
            (CUSTOMERS, rows),
        )


def change(connection: extensions.connection, rows: int, count: int, pattern: str) -> None:
    """Update and insert `count` rows in all."""
    half = max(1, count // 2)
    step = max(1, rows // half)
    with connection.cursor() as cursor:
        if pattern == "scattered":
            cursor.execute("update orders set amount = amount + 1 where id %% %s = 0", (step,))
        else:
            cursor.execute("update orders set amount = amount + 1 where id > %s and id <= %s", (rows - half, rows))
        cursor.execute(
            "insert into orders select m + i, 1 + (i::bigint * 7919) %% %s, i %% 1000, now()"
            " from (select max(id) m from orders) x, generate_series(1, %s) i",
            (CUSTOMERS, half),
        )


def measure(root: Path, connection: extensions.connection, rows: int, pattern: str) -> Table:
    """Refresh at every change ratio; a row a query and ratio."""
    project = Project.load(root)
    began = time.monotonic()
    project.run(threads=1)
    title = f"{rows:,} rows, {pattern} changes (first copy and first refresh {time.monotonic() - began:.0f} s)"
    table = Table("query", "changed", "FULL s", "DIFFERENTIAL s", "FULL / DIFFERENTIAL", title=title)
    for ratio in RATIOS:
        change(connection, rows, max(1, round(rows * ratio)), pattern)
        seconds = {run.name: run.seconds for run in project.run(threads=1).tables}
        for name in QUERIES:
            full, differential = seconds[f"{name}_full"], seconds[f"{name}_differential"]
            table.add_row(name, f"{ratio:.2%}", f"{full:.2f}", f"{differential:.2f}", f"{full / differential:.1f}x")
    return table


def overhead(connection: extensions.connection) -> Table:
    """Seconds of the same writes into a captured table and into one that is not."""
    table = Table("write", "plain", "captured", "captured / plain", title="what capture costs a writer")
    with connection.cursor() as cursor:
        cursor.execute("drop table if exists plain")
        cursor.execute("create table plain (like orders including all)")
        cursor.execute("select max(id) from orders")
        (last,) = cursor.fetchone() or (0,)
    for name, write in {"bulk insert, 200,000 rows": bulk, "single-row inserts, 2,000": single}.items():
        plain = statistics.median(write(connection, "plain", last + turn * 1_000_000) for turn in range(1, 4))
        captured = statistics.median(write(connection, "orders", last + turn * 1_000_000) for turn in range(1, 4))
        table.add_row(name, f"{plain:.2f} s", f"{captured:.2f} s", f"{captured / plain:.2f}x")
    return table


def bulk(connection: extensions.connection, table: str, start: int) -> float:
    """One statement of many rows."""
    return _seconds(
        connection,
        lambda cursor: cursor.execute(
            f"insert into {table} select %s + i, i, i, now() from generate_series(1, 200000) i", (start,)
        ),
    )


def single(connection: extensions.connection, table: str, start: int) -> float:
    """Many statements of one row, each its own transaction."""

    def write(cursor: extensions.cursor) -> None:
        for i in range(2000):
            cursor.execute(f"insert into {table} values (%s, 1, 1, now())", (start + 500_000 + i,))

    return _seconds(connection, write)


def _seconds(connection: extensions.connection, write: Callable[[extensions.cursor], None]) -> float:
    began = time.monotonic()
    with connection.cursor() as cursor:
        write(cursor)
    return time.monotonic() - began


@contextmanager
def server(folder: Path) -> Iterator[extensions.connection]:
    """A PostgreSQL of its own."""
    own = EmbeddedServer(folder)
    own.start()
    connection = psycopg2.connect(own.url())
    connection.autocommit = True
    try:
        yield connection
    finally:
        connection.close()
        own.remove()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, action="append")
    parser.add_argument("--pattern", choices=["scattered", "recent"], default="recent")
    options = parser.parse_args()
    console = Console(width=100)
    with tempfile.TemporaryDirectory(prefix="trickle-bench-") as name, server(Path(name) / "postgres") as connection:
        for rows in options.rows or [1_000_000, 10_000_000]:
            root = Path(name) / f"project_{rows}"
            load(connection, rows)
            write_project(root, connection.dsn)
            console.print(measure(root, connection, rows, options.pattern))
        console.print(overhead(connection))


if __name__ == "__main__":
    main()
