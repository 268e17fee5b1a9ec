"""What has no operator is refused by its name in SQL, at its place; nothing is ignored."""

from __future__ import annotations

import pytest
from query_tables import error_of, read, refusal_of

from trickle.errors import ProjectError
from trickle.query.draw import draw
from trickle.query.lower import lower


@pytest.mark.parametrize(
    ("sql", "construct"),
    [
        ("select uuid() as u from shop.orders", "function uuid"),
        ("select monotonically_increasing_id() as u from shop.orders", "function monotonically_increasing_id"),
        ("select current_user() as u from shop.orders", "function current_user"),
        ("select transform(array(id), x -> x + rand()) as u from shop.orders", "function rand"),
        ("select my_function(id) as u from shop.orders", "function my_function"),
        ("select tags from shop.orders", 'column "tags" of type MAP'),
        ("select id from shop.orders tablesample (10 percent)", "TABLESAMPLE"),
        ("select id from shop.orders limit 1", "LIMIT without ORDER BY: which rows it keeps is left open"),
        ("select id from shop.orders offset 1", "OFFSET without ORDER BY: which rows it keeps is left open"),
        ("select id from shop.orders order by id limit 1 + 1", "LIMIT that is not a whole number"),
        (
            "select hll_sketch_agg(id) as m from shop.orders",
            "aggregate function HLL_SKETCH_AGG, whose value depends on the order of rows",
        ),
        (
            "select collect_list(id) over (order by cust) as m from shop.orders",
            "window function COLLECT_LIST, whose ties cannot be broken",
        ),
    ],
)
def test_construct_without_a_rule_is_refused(sql: str, construct: str) -> None:
    error = refusal_of(sql)
    assert error.construct == construct
    assert error.location is not None
    assert not error.volatile


@pytest.mark.parametrize(
    "sql",
    [
        "select id from shop.orders where now() > timestamp '2020-01-01 00:00:00'",
        "select current_date as d from shop.orders",
        "with x as (select current_timestamp() as t from shop.orders) select count(*) as n from x",
        "select unix_timestamp() as t from shop.orders",
        "select date 'today' as t from shop.orders",
    ],
)
def test_the_current_time_is_refused_anywhere(sql: str) -> None:
    error = refusal_of(sql)
    assert error.volatile
    assert "its value changes between refreshes" in error.construct


def test_ungrouped_column_is_a_mistake() -> None:
    with pytest.raises(ProjectError, match="neither grouped nor aggregated"):
        lower(read("select cust, id from shop.orders group by cust"))


def test_joins_are_flattened_and_conditions_join() -> None:
    tree = lower(
        read("select a.id from shop.orders a, shop.orders b, shop.customers c where a.id = b.id and b.cust = c.id")
    )
    assert draw(tree).splitlines()[1] == "  InnerJoin a.id = b.id AND b.cust = c.id"


def test_ctes_are_inlined_each_under_its_alias() -> None:
    sql = "with x as (select id from shop.orders), y as (select id from x) select a.id from y a join y b on a.id = b.id"
    assert draw(lower(read(sql))).count("Scan shop.orders") == 2


@pytest.mark.parametrize(
    "sql",
    [
        "with x(nr) as (select id from shop.orders) select nr from x",
        "select nr from (select id from shop.orders) x(nr)",
    ],
)
def test_column_aliases_of_a_subquery_rename_its_columns(sql: str) -> None:
    assert draw(lower(read(sql))).splitlines()[0] == "Project nr := orders.id"


def test_only_columns_in_use_are_scanned() -> None:
    assert "(orders.Amount)" in draw(lower(read("select sum(amount) as s from shop.orders")))


def test_group_by_position_alias_and_expression_agree() -> None:
    trees = {
        draw(lower(read(f"select id % 2 as m, count(*) as n from shop.orders group by {by}")))
        for by in ("1", "m", "id % 2")
    }
    assert len(trees) == 1


def test_sides_of_a_union_must_match() -> None:
    query = read("select id from shop.orders union all select id, region from shop.customers")
    with pytest.raises(ProjectError, match="numbers of columns"):
        lower(query)


def test_unknown_column_is_an_error_even_where_the_query_would_be_refused() -> None:
    assert "unknown column" in error_of("select nope from shop.orders limit 1").message
