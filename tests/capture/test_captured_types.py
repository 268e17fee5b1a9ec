"""A value is the same whether it was copied or captured, and what cannot be exact is refused by name."""

from __future__ import annotations

import datetime
import decimal

import pyarrow as pa
import pytest

from tests.capture.lake import Lake, source
from tests.capture.writers import Writers
from trickle.capture.types import arrow_schema
from trickle.errors import ProjectError, SourceError

pytestmark = pytest.mark.postgres

D = decimal.Decimal
UTC = datetime.UTC

# type, Spark type, SQL value, the value in Arrow
VALUES = [
    ("bool", "boolean", "true", True),
    ("int2", "smallint", "-32768", -32768),
    ("int4", "int", "2147483647", 2147483647),
    ("int8", "bigint", "-9223372036854775808", -9223372036854775808),
    ("float4", "float", "'-0'", -0.0),
    ("float8", "double", "'0.1'", 0.1),
    ("float8", "double", "'-infinity'", float("-inf")),
    ("numeric(12,2)", "decimal(12,2)", "-1.5", D("-1.50")),
    ("numeric(38,0)", "decimal(38,0)", "'" + "9" * 38 + "'", D("9" * 38)),
    ("numeric(3,-2)", "decimal(5,0)", "12345", D("12300")),
    ("numeric(2,5)", "decimal(5,5)", "0.00012", D("0.00012")),
    (
        "numeric",
        "decimal(38,18)",
        "12345678901234567890.123456789012345678",
        D("12345678901234567890.123456789012345678"),
    ),
    ("numeric", "decimal(38,18)", "1.50000000000000000000000000000000000000000000", D("1.5")),
    ("numeric", "decimal(38,18)", "1e19", D("1e19")),
    ("text", "string", "'käse 🧀'", "käse 🧀"),
    ("varchar(9)", "string", "'x  '", "x  "),
    ("char(5)", "string", "'ab'", "ab"),
    ('"char"', "string", "'c'", "c"),
    ("name", "string", "'n'", "n"),
    ("uuid", "string", "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    ("json", "string", """'{"b": 1,  "a":2}'""", '{"b": 1,  "a":2}'),
    ("jsonb", "string", """'{"b": 1,  "a":2}'""", '{"a": 2, "b": 1}'),
    ("inet", "string", "'10.0.0.1/8'", "10.0.0.1/8"),
    ("macaddr", "string", "'08:00:2b:01:02:03'", "08:00:2b:01:02:03"),
    ("time(3)", "string", "'12:34:56.789'", "12:34:56.789"),
    ("timetz", "string", "'12:34:56+05:30'", "12:34:56+05:30"),
    ("interval", "string", "'1 year -2 days 3.5 seconds'", "1 year -2 days +00:00:03.5"),
    ("bit(3)", "string", "B'101'", "101"),
    ("varbit", "string", "B'1'", "1"),
    ("int4range", "string", "'[1,5]'", "[1,6)"),
    ("tstzrange", "string", "'[2020-01-01 00:00+02,)'", '["2019-12-31 22:00:00+00",)'),
    ("point", "string", "'(0.1,2)'", "(0.1,2)"),
    ("tsvector", "string", "'b a'", "'a' 'b'"),
    ("pg_lsn", "string", "'16/B374D848'", "16/B374D848"),
    ("oid", "bigint", "4294967295", 4294967295),
    ("bytea", "binary", r"'\x00ff'", b"\x00\xff"),
    ("date", "date", "'0001-01-01'", datetime.date(1, 1, 1)),
    ("date", "date", "'9999-12-31'", datetime.date(9999, 12, 31)),
    ("timestamp", "timestamp_ntz", "'2024-02-29 23:59:59.999999'", datetime.datetime(2024, 2, 29, 23, 59, 59, 999999)),
    ("timestamptz", "timestamp", "'2024-03-01 01:00:00+02'", datetime.datetime(2024, 2, 29, 23, 0, tzinfo=UTC)),
    ("timestamptz(0)", "timestamp", "'0001-01-01 00:00:00+00'", datetime.datetime(1, 1, 1, tzinfo=UTC)),
    ("int4[]", "array<int>", "'{1,null,3}'", [1, None, 3]),
    ("int4[]", "array<int>", "'{}'", []),
    ("float8[]", "array<double>", "'{0.1}'", [0.1]),
    ("text[]", "array<string>", """'{"a,b",null,""}'""", ["a,b", None, ""]),
    ("uuid[]", "array<string>", "'{A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11}'", ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]),
    ("mood", "string", "'sad'", "sad"),
    ("mood[]", "array<string>", "'{sad,NULL}'", ["sad", None]),
    ("date[]", "string", "'{2020-01-01}'", "{2020-01-01}"),
    ("numeric(6,2)[]", "string", "'{1.5}'", "{1.50}"),
    ("positive", "decimal(8,2)", "7", D("7.00")),
    ("xml", "string", "'<a/>'", "<a/>"),
]
TYPES = ("create type mood as enum ('sad', 'ok')", "create domain positive as numeric(8,2) not null check (value > 0)")


def supported(writers: Writers) -> list[tuple[str, str, str, object]]:
    """A server may be built without XML."""
    xml = writers.query("select 1 from pg_settings where name = 'xmloption'")
    try:
        writers.query("select '<a/>'::xml")
    except Exception:  # noqa: BLE001 - whatever it says, it has none
        xml = []
    return [value for value in VALUES if value[0] != "xml" or xml]


def test_copied_and_captured_values_are_the_same(writers: Writers, lake: Lake) -> None:
    writers.run(*TYPES)
    values = supported(writers)
    columns = ", ".join(f"c{i} {pg}" for i, (pg, _, _, _) in enumerate(values))
    literals = ", ".join(literal for _, _, literal, _ in values)
    nulls = ", ".join("1" if pg == "positive" else "null" for pg, _, _, _ in values)
    writers.run(f"create table t ({columns})", f"insert into t values ({literals})", f"insert into t values ({nulls})")
    reader = lake.database
    assert reader.prepare(lake.id, [source("t")]) == {}
    with reader.cut(lake.id, [source("t")], {}, frozenset()) as cut:
        copied = cut.copy(source("t").name).read_all()
        assert [column.type for column in cut.schema(source("t").name).columns] == [spark for _, spark, _, _ in values]
        assert copied.schema == arrow_schema(cut.schema(source("t").name))
        lake.seal(cut.position, [source("t")])
    assert list(copied.to_pylist()[0].values()) == [expected for *_, expected in values]
    writers.open("set local timezone = 'Asia/Tokyo'", "set local datestyle = 'german'", "truncate t").rollback()
    session = writers.open("set local timezone = 'Asia/Tokyo'", "set local intervalstyle = 'iso_8601'")
    session.run("insert into t select * from t", "delete from t").commit()
    with reader.cut(lake.id, [source("t")], lake.since, lake.known) as cut:
        changed = cut.changes(source("t").name).rows.read_all()
    assert changed.column(0).type == pa.int32()
    assert sorted(changed.column(0).to_pylist()) == [-1, -1, -1, -1, 1, 1]
    assert changed.slice(0, 2).select(range(1, changed.num_columns)).equals(copied)
    assert changed.slice(2, 2).select(range(1, changed.num_columns)).equals(copied)


REFUSED_VALUES = [
    ("numeric", "'NaN'", "NaN"),
    ("numeric(5,2)", "'NaN'", "NaN"),
    ("numeric", "'-Infinity'", "-Infinity"),
    ("numeric", "1e20", "100000000000000000000"),
    ("numeric", "1e-19", "0.0000000000000000001"),
    ("date", "'infinity'", "infinite"),
    ("date", "'0001-12-31 BC'", "years 1 to 9999"),
    ("timestamp", "'-infinity'", "infinite"),
    ("timestamptz", "'10000-01-01 00:00+00'", "years 1 to 9999"),
    ("int4[]", "'{{1,2},{3,4}}'", "several dimensions"),
    ("int4[]", "'[0:1]={1,2}'", "several dimensions"),
]


def test_value_without_an_exact_form_is_refused(writers: Writers, lake: Lake) -> None:
    tables = [f"t{place}" for place in range(len(REFUSED_VALUES))]
    for table, (pg, _, _) in zip(tables, REFUSED_VALUES, strict=True):
        writers.run(f'create table {table} (id int, "Odd" {pg})')
    lake.refresh(*tables)
    for table, (_, value, _) in zip(tables, REFUSED_VALUES, strict=True):
        writers.run(f"insert into {table} values (1, {value})")
    copier, sources = Lake(writers.dsn), [source(table) for table in tables]
    assert not copier.database.prepare(copier.id, sources)
    with (
        lake.database.cut(lake.id, sources, lake.since, lake.known) as changed,
        copier.database.cut(copier.id, sources, {}, frozenset()) as copied,
    ):
        for one, (_, _, shown) in zip(sources, REFUSED_VALUES, strict=True):
            expected = f'public.{one.pg_table}, column "Odd".*{shown}'
            with pytest.raises(SourceError, match=expected):
                changed.changes(one.name).rows.read_all()
            with pytest.raises(SourceError, match=expected):
                copied.copy(one.name).read_all()


def test_type_without_an_exact_form_is_refused(writers: Writers, lake: Lake) -> None:
    writers.run("create type pair as (a int, b int)")
    for pg in ("numeric(39,2)", "numeric(30,-9)", "pair", "pair[]", "regclass", "money", "aclitem"):
        writers.run("drop table if exists t", f'create table t (id int, "Odd" {pg})')
        with pytest.raises(ProjectError, match='column "Odd"'):
            lake.database.describe([source("t")])


@pytest.mark.parametrize("postgres", ["18"], indirect=True)  # the version they came with
def test_virtual_generated_column_is_refused(writers: Writers, lake: Lake) -> None:
    writers.run("create table t (a int, twice int generated always as (a * 2) virtual)")
    with pytest.raises(ProjectError, match='column "twice" is a virtual generated column'):
        lake.database.describe([source("t")])


def test_dropping_an_enum_is_not_held_up_by_a_buffer(writers: Writers, lake: Lake) -> None:
    writers.run(*TYPES, "create table t (m mood)", "insert into t values ('ok')")
    lake.refresh("t")
    writers.run("drop table t", "drop type mood")
