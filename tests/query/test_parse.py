"""SQL that is not one query is an error at its place in the file."""

from __future__ import annotations

import pytest
from query_tables import error_of, read, stream_table

from trickle.query.parse import parse


def test_syntax_error_names_the_token_and_its_place() -> None:
    error = error_of("select id\nfrom shop.orders\nwhere (id > 3")
    assert error.location is not None
    assert (error.location.file, error.location.line) == ("tables/t.sql", 3)
    assert "syntax error" in error.message


def test_place_is_in_the_file_not_in_the_rendered_text() -> None:
    raw = "{{ config(\n  schedule='5m'\n) }}\nselect idd\nfrom {{ source('shop', 'orders') }}\n"
    error = error_of("\nselect idd\nfrom `shop`.`orders`\n", raw=raw)
    assert error.location is not None
    assert (error.location.line, error.location.column) == (4, 8)
    assert "4 | select idd" in error.snippet


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("", "no query"),
        ("-- nothing", "no query"),
        ("select 1 as a; select 2 as b", "more than one statement"),
        ("drop table x", "DROP is not a query"),
        ("insert into x select 1", "INSERT is not a query"),
        ("select 'open", "syntax error"),
    ],
)
def test_other_than_one_query_is_refused(sql: str, message: str) -> None:
    assert message in error_of(sql).message


def test_a_query_in_parentheses_is_a_query() -> None:
    assert [c.name for c in read("(select id from shop.orders)").columns] == ["id"]


@pytest.mark.parametrize(
    ("written", "emitted"),
    [
        ("'it''s'", r"'it\'s'"),
        ("'a' 'b'", "CONCAT('a', 'b')"),
        ("log10(id)", "LOG10(id)"),
        ("to_char(amount, '999.99')", "TO_CHAR(amount, '999.99')"),
        ("date_trunc(region, since)", "DATE_TRUNC(region, since)"),
        ("listagg(region)", "LISTAGG(region, '')"),
        ("percentile(id, 0.5, cust)", "PERCENTILE(id, 0.5, cust)"),
        ("instr(region, 'a', 1, 2)", "INSTR(region, 'a', 1, 2)"),
        ("max(id, cust)", "MAX(id, cust)"),
        ("since - interval 1 day 2 hours", "since - (INTERVAL '1' DAY + INTERVAL '2' HOURS)"),
        ("cast(region as time(3))", "CAST(region AS TIME(3))"),
        ("amount / 3L + 1.5BD - 128Y", "amount / 3L + 1.5BD - 128Y"),
        ("timestampadd(hour, 1, since)", "TIMESTAMPADD(HOUR, 1, since)"),
        ("first(id, true)", "FIRST(id) IGNORE NULLS"),
        ("any(id > 1)", "BOOL_OR(id > 1)"),
        ("region like any ('a', 'b')", "region LIKE ANY ('a', 'b')"),
    ],
)
def test_spark_reads_what_was_written(written: str, emitted: str) -> None:
    assert parse(stream_table(f"select {written} as x from shop.orders")).selects[0].this.sql("spark") == emitted


def test_percentile_stays_exact() -> None:
    sql = "select percentile_cont(0.5) within group (order by id) as x from shop.orders"
    written = parse(stream_table(sql)).selects[0].this.sql("spark")
    assert written == "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY id)"


@pytest.mark.parametrize(
    ("written", "emitted"),
    [
        ("struct(Id, cust as Cu)", "STRUCT(`orders`.`id` AS `Id`, `orders`.`cust` AS `Cu`)"),
        ("named_struct('Id', id)", "STRUCT(`orders`.`id` AS `Id`)"),
        ("cast(null as struct<Id: int>)", "CAST(NULL AS STRUCT<`Id`: INT>)"),
    ],
)
def test_fields_keep_their_spelling(written: str, emitted: str) -> None:
    assert read(f"select {written} as x from shop.orders").ast.selects[0].this.sql("spark") == emitted


def test_zipped_fields_are_named_as_written() -> None:
    node = read("select arrays_zip(array(id), array(cust)) as x from shop.orders").ast.selects[0].this
    assert node.sql("spark").endswith("(`__left`, `__right`) -> STRUCT(`__left` AS `0`, `__right` AS `1`))")
