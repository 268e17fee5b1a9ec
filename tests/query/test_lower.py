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
        ("select o.id from shop.orders o left join shop.customers c on o.cust = c.id", "LEFT JOIN"),
        ("select o.id from shop.orders o full outer join shop.customers c on o.cust = c.id", "FULL OUTER JOIN"),
        ("select o.id from shop.orders o left anti join shop.customers c on o.cust = c.id", "LEFT ANTI JOIN"),
        ("select id from shop.orders where id in (select id from shop.customers)", "IN (subquery)"),
        ("select id from shop.orders where id = (select max(id) from shop.customers)", "subquery in an expression"),
        ("select id, (select 1) as x from shop.orders", "subquery in an expression"),
        ("select count(*) c from shop.orders having count(*) > (select 1)", "subquery in an expression"),
        ("select sum(id) over () as s from shop.orders", "window function SUM"),
        ("select rank() over (order by id) as s from shop.orders", "window function RANK"),
        ("select cust, sum(count(*)) over () as s from shop.orders group by cust", "window function SUM"),
        ("select id from shop.orders limit 1", "LIMIT"),
        ("select id from shop.orders offset 1", "OFFSET"),
        ("select id from (select id from shop.orders limit 3) s", "LIMIT"),
        ("select id from shop.orders union all (select id from shop.customers limit 1)", "LIMIT"),
        ("select id from shop.orders except select id from shop.customers", "EXCEPT"),
        ("select id from shop.orders intersect all select id from shop.customers", "INTERSECT"),
        ("select max(distinct id) as m from shop.orders", "MAX(DISTINCT ...)"),
        ("select stddev(id) as m from shop.orders", "aggregate function STDDEV"),
        ("select collect_list(id) as m from shop.orders", "aggregate function COLLECT_LIST"),
        ("select count_if(id > 1) as m from shop.orders", "aggregate function COUNT_IF"),
        ("select cust, count(*) as n from shop.orders group by cube (cust)", "CUBE"),
        ("select cust, count(*) as n from shop.orders group by grouping sets ((cust), ())", "GROUPING SETS"),
        ("select cust, count(*) as n from shop.orders group by cust with rollup", "ROLLUP"),
        ("select e from shop.orders lateral view explode(array(id)) t as e", "LATERAL VIEW"),
        ("select explode(array(id)) as e from shop.orders", "function explode"),
        ("select uuid() as u from shop.orders", "function uuid"),
        ("select monotonically_increasing_id() as u from shop.orders", "function monotonically_increasing_id"),
        ("select current_user() as u from shop.orders", "function current_user"),
        ("select transform(array(id), x -> x + 1) as u from shop.orders", "function transform"),
        ("select tags from shop.orders", 'column "tags" of type MAP'),
        ("select id from shop.orders tablesample (10 percent)", "TABLESAMPLE"),
        ("select 1 as a", "SELECT without FROM"),
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
