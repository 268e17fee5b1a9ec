"""Other tools read exactly the query's columns and rows from the lake."""

from __future__ import annotations

from pathlib import Path

import duckdb
import duckdb_extension_delta
import polars
import pytest
from deltalake import DeltaTable

from tests.end_to_end.workbench import Workbench, multiset

pytestmark = [pytest.mark.spark, pytest.mark.postgres]

SQL = "select id, cust, amount, placed, day, note from {orders} where amount > 3"


def test_deltalake_polars_and_duckdb_see_the_query(tmp_path: Path, database: str) -> None:
    bench = Workbench(
        tmp_path, database, ["orders"], {"kept": SQL, "per": "select cust, avg(amount) a from {orders} group by cust"}
    )
    bench.execute(
        "create table orders (id bigint primary key, cust text, amount numeric(12,3), placed timestamptz, day date,"
        " note text)",
        "insert into orders select i, 'c' || i % 4, i / 7.0,"
        " '2024-03-31 01:30+00'::timestamptz + i * interval '1 hour',"
        " date '2024-01-01' + i, nullif('n' || i % 3, 'n0') from generate_series(1, 60) i",
    )
    bench.run()
    bench.execute("delete from orders where id % 5 = 0", "update orders set amount = amount + 1 where id % 4 = 0")
    bench.run()
    expected = bench.postgres(SQL)
    columns = ["id", "cust", "amount", "placed", "day", "note"]
    path = str(bench.root / "lake" / "main" / "kept")
    by_deltalake = DeltaTable(path).to_pyarrow_table()
    assert by_deltalake.column_names == columns
    assert multiset(tuple(row.values()) for row in by_deltalake.to_pylist()) == expected
    by_polars = polars.read_delta(path)
    assert by_polars.columns == columns
    assert multiset(by_polars.rows()) == expected
    connection = duckdb.connect()
    connection.execute("set timezone = 'UTC'")
    extension = next(Path(duckdb_extension_delta.__path__[0]).rglob("*.duckdb_extension"))
    connection.execute(f"load '{extension}'")
    by_duckdb = connection.execute(f"select * from delta_scan('{path}')")
    assert [column[0] for column in by_duckdb.description] == columns
    assert multiset(by_duckdb.fetchall()) == expected
