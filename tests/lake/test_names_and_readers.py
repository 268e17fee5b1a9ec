"""Odd names and all types, read back by the tools our users have."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from decimal import Decimal
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pytest
from deltalake import DeltaTable
from lake_rows import SCHEMA, changed, copied, counted, stamp

from trickle.errors import CorruptLakeError, ProjectError
from trickle.lake.delta_lake import DeltaLake
from trickle.lake.layout import Layout, folder
from trickle.lake.types import arrow_schema, delta_schema, table_schema
from trickle.model.names import RelationName, StateName
from trickle.model.schema import Column, TableSchema

TYPES = TableSchema(
    (
        Column("b", "boolean"),
        Column("i8", "tinyint"),
        Column("i16", "smallint"),
        Column("i32", "int", nullable=False),
        Column("i64", "bigint"),
        Column("f", "float"),
        Column("d", "double"),
        Column("n", "decimal(38,10)"),
        Column("s", "string"),
        Column("x", "binary"),
        Column("day", "date"),
        Column("at", "timestamp"),
        Column("local", "timestamp_ntz"),
        Column("many", "array<int>"),
        Column("nested", "struct<a:int,`b c`:array<string>>"),
    ),
    key=("s", "i32"),
)
ROW = (
    True, -1, 2, 3, 2**62, 0.5, 1e300, Decimal("1234567890123456789012345678.0123456789"), "é'`\n", b"\x00\xff",
    dt.date(1200, 2, 28), dt.datetime(1500, 3, 1, 12, 30, 0, 123456, tzinfo=dt.UTC),
    dt.datetime(9999, 12, 31, 23, 59, 59, 999999), [1, None], {"a": 1, "b c": ["z"]},
)  # fmt: skip


def read_everywhere(path: str) -> list[pa.Table]:
    """The same table by each reader; DuckDB has no Delta extension of its own here, so it reads through deltalake."""
    dataset = DeltaTable(path).to_pyarrow_dataset()
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.register("t", dataset)
        ducks = connection.sql("SELECT * FROM t").to_arrow_table()
    return [DeltaTable(path).to_pyarrow_table(), pl.read_delta(path).to_arrow(), ducks]


def test_every_type_reads_the_same_everywhere(lake: DeltaLake, tmp_path: Path) -> None:
    name = RelationName("shop", "types")
    nulls = (None,) * len(ROW)
    lake.create(name, TYPES, copied([ROW, nulls], TYPES), stamp(1))
    stored = lake.stored(name)
    assert stored is not None
    assert stored.schema == TYPES
    expected = [dict(zip(TYPES.names, row, strict=True)) for row in (ROW, nulls)]
    assert lake.table(name).to_pylist() == expected
    for table in read_everywhere(str(tmp_path / "lake" / "shop" / "types")):
        assert table.column_names == list(TYPES.names)
        assert sorted(table.to_pylist(), key=lambda row: row["b"] is None) == expected


def test_filters_on_statistics_find_every_row(lake: DeltaLake, tmp_path: Path) -> None:
    name = RelationName("shop", "events")
    schema = TableSchema((Column("id", "bigint"), Column("day", "date"), Column("s", "string"), Column("x", "double")))
    long = "z" * 100
    rows = [(1, dt.date(2020, 1, 1), "a", float("nan")), (2, None, long, -0.0), (None, dt.date(1, 1, 1), None, None)]
    lake.create(name, schema, copied(rows, schema), stamp(1))
    path = str(tmp_path / "lake" / "shop" / "events")
    frame = pl.scan_delta(path)
    assert frame.filter(pl.col("s") == long).collect().height == 1
    assert frame.filter(pl.col("day") == dt.date(1, 1, 1)).collect().height == 1
    assert frame.filter(pl.col("id") >= 2).collect().height == 1
    assert frame.filter(pl.col("x").is_nan()).collect().height == 1
    actions = pa.table(DeltaTable(path).get_add_actions(flatten=True)).to_pylist()[0]
    assert (actions["num_records"], actions["min.id"], actions["max.id"], actions["null_count.id"]) == (3, 1, 2, 1)
    assert actions.get("max.s") is None
    assert actions.get("max.x") is None


@pytest.mark.parametrize(
    "table", ["Order Items", "a/b", "..", ".hidden", "_delta_log", "größe", "100%", "k=v", "~7E", "select", "a" * 63]
)
def test_odd_table_names(lake: DeltaLake, tmp_path: Path, table: str) -> None:
    name = RelationName("Schéma x", table)
    lake.create(name, SCHEMA, copied([(1, "a")]), stamp(1))
    lake.append(name, changed([(1, 2, "b")]), stamp(2))
    assert counted(lake.rows_at(name, 2)) == Counter([(1, "a"), (2, "b")])
    path = Layout(str(tmp_path / "lake")).table(name)
    assert Path(path).parent == tmp_path / "lake" / "Sch~C3~A9ma~20x"
    for found in read_everywhere(path):
        assert found.to_pylist() == [{"id": 1, "note": "a"}]


def test_folder_names_differ_when_names_do() -> None:
    names = ["a b", "a~20b", "a%20b", "A b", ".a", "~2Ea", "_a", "~5Fa"]
    assert len({folder(name) for name in names}) == len(names)


def test_schemas_of_the_lake_itself_are_refused(lake: DeltaLake) -> None:
    with pytest.raises(ProjectError, match="underscore"):
        lake.create(RelationName("_changes", "orders"), SCHEMA, copied([]), stamp(1))


def test_names_that_meet_in_one_folder_are_refused(lake: DeltaLake, tmp_path: Path) -> None:
    lake.create(RelationName("shop", "Orders"), SCHEMA, copied([(1, "a")]), stamp(1))
    (tmp_path / "lake" / "shop" / "orders").symlink_to(tmp_path / "lake" / "shop" / "Orders")
    with pytest.raises(CorruptLakeError, match="holds"):
        lake.stored(RelationName("shop", "orders"))


def test_state_of_two_tables_never_meets(tmp_path: Path) -> None:
    layout = Layout(str(tmp_path))
    first = StateName(RelationName("a", "t"), "n")
    second = StateName(RelationName("b", "t"), "n")
    assert layout.log(first) != layout.log(second)


def test_odd_column_names(lake: DeltaLake, tmp_path: Path) -> None:
    names = ("a b", "c.d", "e,f", "g`h", "é=(){};", "tab\tx", "select", 'q"')
    schema = TableSchema(tuple(Column(name, "bigint") for name in names), key=("c.d",))
    name = RelationName("shop", "odd")
    row = tuple(range(len(names)))
    lake.create(name, schema, copied([row], schema), stamp(1))
    lake.append(name, changed([(-1, *row), (1, *row[::-1])], schema), stamp(2))
    lake.append(name, changed([], schema, truncated=True), stamp(3))
    assert counted(lake.rows_at(name, 2)) == Counter([row[::-1]])
    assert counted(lake.rows_at(name, 3)) == Counter()
    for table in read_everywhere(str(tmp_path / "lake" / "shop" / "odd")):
        assert table.to_pylist() == [dict(zip(names, row, strict=True))]


@pytest.mark.parametrize("of", ["void", "interval day", "map<int,int>", "variant", "decimal(39,1)", "array<", "int>"])
def test_types_delta_cannot_hold_are_refused(of: str) -> None:
    with pytest.raises(ProjectError, match="cannot be stored"):
        arrow_schema(TableSchema((Column("x", of),)))


def test_schemas_survive_delta() -> None:
    assert table_schema(delta_schema(TYPES)) == TYPES
