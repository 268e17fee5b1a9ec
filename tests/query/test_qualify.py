"""Tables and columns are found without regard to case; what is not found is named, with a suggestion."""

from __future__ import annotations

import pytest
from query_tables import CUSTOMERS, ORDERS, error_of, read
from sqlglot import exp


def test_star_gives_the_stored_names() -> None:
    columns = read(
        "select o.*, REGION from SHOP.Orders o join shop.customers on ID2 = cust".replace("ID2", "customers.id")
    )
    assert [c.name for c in columns.columns] == ["id", "cust", "Amount", "ratio", "tags", "region"]


def test_aliases_keep_their_spelling() -> None:
    assert [c.name for c in read("select id as OrderId, AMOUNT as `Sum total` from shop.orders").columns] == [
        "OrderId",
        "Sum total",
    ]


def test_inputs_are_listed_once() -> None:
    query = read("select a.id from shop.orders a, shop.orders b, shop.customers c")
    assert query.inputs == (ORDERS, CUSTOMERS)


@pytest.mark.parametrize(
    ("sql", "message", "hint"),
    [
        ("select amont from shop.orders", 'unknown column "amont"', 'did you mean "Amount"?'),
        ("select o.amont from shop.orders o", 'unknown column "amont"', 'did you mean "Amount"?'),
        ("select x.id from shop.orders o", 'unknown table "x"', ""),
        ("select id from shop.oders", 'unknown table "shop.oders"', 'did you mean "shop.orders"?'),
        ("select id from orders", 'unknown table "orders"', "did you mean"),
        ("select id from shop.orders, shop.customers", 'column "id" is ambiguous', "write table.column"),
        ("select id, cust as ID from shop.orders", 'two output columns are called "ID"', "alias"),
        ("select c.id, o.id from shop.orders o, shop.customers c", 'two output columns are called "id"', "alias"),
    ],
)
def test_what_cannot_be_resolved_is_named(sql: str, message: str, hint: str) -> None:
    error = error_of(sql)
    assert message in error.message
    assert hint in error.hint
    assert error.location is not None
    assert error.snippet


def test_unknown_column_is_found_in_its_line() -> None:
    error = error_of("select id,\n       regoin\nfrom shop.customers")
    assert error.location is not None
    assert (error.location.line, error.location.column) == (2, 8)


def test_types_reach_through_subqueries_and_unions() -> None:
    sql = "select s + 1 as x from (select sum(amount) as s from shop.orders union all select id from shop.customers) q"
    assert [c.type for c in read(sql).columns] == ["decimal(23,2)"]


def test_a_shadowing_cte_gets_a_name_of_its_own() -> None:
    query = read(
        "with t as (select id from shop.orders), "
        "u as (with T as (select cust as id from shop.orders) select t.id from T)"
        " select t.id, s.id as other from t join (with t as (select * from u) select * from t) s on s.id = t.id"
    )
    names = [cte.alias.lower() for cte in query.ast.find_all(exp.CTE)]
    assert len(names) == len(set(names)) == 4
    assert [c.name for c in query.columns] == ["id", "other"]
    sql = query.ast.sql("spark").replace("`", "")
    assert "SELECT orders.cust AS id FROM shop.orders AS orders" in sql


def test_the_alias_of_a_semi_join_may_be_a_column() -> None:
    query = read("select o.id, o.cust from shop.orders o left semi join shop.customers cust on o.cust = cust.id")
    assert not list(query.ast.find_all(exp.Dot))
