"""The canonical form leaves nothing to chance that it can settle."""

from __future__ import annotations

import pytest
from query_tables import read

from trickle.model.names import RelationName
from trickle.query.canonical import canonical_sql, rows_sql


def flat(sql: str) -> str:
    return " ".join(canonical_sql(read(sql)).split())


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select avg(id) as a from shop.orders", "SUM(CAST(`orders`.`id` AS DECIMAL(28, 0)))"),
        ("select avg(ratio) as a from shop.orders", "AVG(`orders`.`ratio`)"),
        (
            "select any_value(id) as a, first(cust) as b from shop.orders",
            "MIN(`orders`.`id`) AS `a`, MIN(`orders`.`cust`)",
        ),
        ("select collect_list(id) as a from shop.orders", "SORT_ARRAY(COLLECT_LIST(`orders`.`id`))"),
        (
            "select row_number() over (order by region) as n from shop.customers",
            "OVER (ORDER BY `customers`.`region`, `customers`.`id` ASC, `customers`.`since` ASC)",
        ),
        (
            "with a as (select id, region from shop.customers), b as (select id, region from a) "
            "select row_number() over (order by region) as n from b",
            "OVER (ORDER BY `b`.`region`, `b`.`id` ASC)",
        ),
        (
            "select rank() over (order by region) as n from shop.customers",
            "OVER (ORDER BY `customers`.`region`) AS `n`",
        ),
        (
            "select sum(id) over (order by region) as n from shop.customers",
            "OVER (ORDER BY `customers`.`region`) AS `n`",
        ),
        ("select id, region from shop.customers order by region limit 3", "ORDER BY `region`, `id` ASC LIMIT 3"),
        ("select id from shop.customers limit 3", "ORDER BY `id` ASC LIMIT 3"),
    ],
)
def test_choice_is_settled(sql: str, expected: str) -> None:
    assert expected in flat(sql)


def test_rows_that_cannot_be_ordered_keep_the_window_as_written() -> None:
    assert "OVER (ORDER BY `orders`.`id`)" in flat("select row_number() over (order by id) as n from shop.orders")


def test_order_without_limit_is_dropped() -> None:
    assert "ORDER BY" not in flat("select id from shop.customers order by region")


def test_inputs_are_views_and_outputs_keep_their_spelling() -> None:
    assert flat("select AMOUNT, id as Nr from shop.orders") == (
        "SELECT `orders`.`amount` AS `Amount`, `orders`.`id` AS `Nr` FROM `shop.orders` AS `orders`"
    )


@pytest.mark.parametrize(
    ("sql", "kept"),
    [
        ("select id from shop.orders tablesample (10 percent)", "TABLESAMPLE (10 PERCENT)"),
        ("select e from shop.orders lateral view explode(array(id)) t as e", "LATERAL VIEW"),
    ],
)
def test_what_has_no_rule_is_still_in_the_query(sql: str, kept: str) -> None:
    assert kept in flat(sql)


def test_all_rows_of_a_relation() -> None:
    assert rows_sql(RelationName("main", "revenue")) == "SELECT * FROM `main.revenue`"


@pytest.mark.parametrize(
    ("sql", "keys"),
    [
        (
            "select row_number() over (order by c.id) as n "
            "from shop.customers c left semi join shop.customers d on c.id = d.id",
            "`c`.`id`, `c`.`region` ASC, `c`.`since` ASC",
        ),
        (
            "with w as (select id from shop.customers) select row_number() over (order by v.id % 2) as n from w v",
            "`v`.`id` % 2, `v`.`id` ASC",
        ),
    ],
    ids=["no column of a semi-joined table", "a CTE by the alias it is read under"],
)
def test_ties_are_broken_by_columns_in_sight(sql: str, keys: str) -> None:
    assert f"OVER (ORDER BY {keys})" in flat(sql)
