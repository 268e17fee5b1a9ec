"""Another spelling of plain SQL is written as plain SQL."""

from __future__ import annotations

import pytest
from query_tables import error_of, read


def plain(sql: str, dialect: str = "spark") -> str:
    return read(sql, dialect).ast.sql("spark").replace("`", "")


O, C = "FROM shop.orders AS o", "shop.customers AS c"  # noqa: E741 as in the queries


@pytest.mark.parametrize(
    ("join", "joined", "condition"),
    [
        ("join", "o.id AS id", "JOIN"),
        ("left join", "o.id AS id", "LEFT JOIN"),
        ("right join", "c.id AS id", "RIGHT JOIN"),
        ("full join", "COALESCE(o.id, c.id) AS id", "FULL JOIN"),
    ],
)
@pytest.mark.parametrize("natural", [True, False])
def test_a_join_by_names_takes_its_column_from_the_side_that_has_it(
    join: str, joined: str, condition: str, natural: bool
) -> None:
    clause = f"natural {join} shop.customers c" if natural else f"{join} shop.customers c using (ID)"
    expected = f"SELECT {joined}, o.cust AS cust, c.region AS region {O} {condition} {C} ON o.id = c.id"
    assert plain(f"select id, cust, region from shop.orders o {clause}") == expected


def test_a_star_over_using_gives_the_joined_columns_first_and_once() -> None:
    query = read("select * from (select region, id from shop.customers) c full join shop.orders o using (id)")
    assert [c.name for c in query.columns] == ["id", "region", "cust", "Amount", "ratio", "tags"]


def test_a_joined_column_is_known_in_every_clause_and_in_subqueries() -> None:
    sql = plain(
        "select id, count(*) as n from shop.orders o full join shop.customers c using (id)"
        " where exists (select 1 from shop.orders x where x.cust = c.id and x.id > 1) or id = 2"
        " group by id having id > 3"
    )
    merged = "COALESCE(o.id, c.id)"
    assert f"OR {merged} = 2 GROUP BY {merged} HAVING {merged} > 3" in sql


def test_a_joined_column_that_a_later_table_has_too_is_ambiguous() -> None:
    sql = "select id from shop.orders o join shop.customers c using (id) join shop.customers d on d.since = c.since"
    assert 'column "id" is ambiguous' in error_of(sql).message


def test_what_using_names_must_be_on_both_sides() -> None:
    assert '"region"' in error_of("select 1 as x from shop.orders join shop.customers using (region)").message


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "select sum(id) over w as s, sum(id) over (w rows 1 preceding) as t from shop.customers"
            " window w as (partition by region order by since)",
            "SELECT SUM(customers.id) OVER (PARTITION BY customers.region ORDER BY customers.since) AS s, "
            "SUM(customers.id) OVER (PARTITION BY customers.region ORDER BY customers.since rows BETWEEN 1 preceding"
            " AND CURRENT ROW) AS t FROM shop.customers AS customers",
        ),
        (
            "select b from shop.customers as x(a, b, c)",
            "SELECT x.b AS b FROM (SELECT customers.id AS a, customers.region AS b, customers.since AS c"
            " FROM shop.customers AS customers) AS x",
        ),
        (
            "select col2 from values (1, 'a'), (2, null)",
            "SELECT _values.col2 AS col2 FROM VALUES (1, 'a'), (2, NULL) AS _values(col1, col2)",
        ),
        (
            "select id, cust from shop.orders union all by name select id as cust, id from shop.customers",
            "SELECT orders.id AS id, orders.cust AS cust FROM shop.orders AS orders UNION ALL "
            "SELECT _right.id AS id, _right.cust AS cust FROM (SELECT customers.id AS cust, customers.id AS id"
            " FROM shop.customers AS customers) AS _right",
        ),
        (
            "select cust, sum(id) as s, 1 as one from shop.orders group by all order by all desc",
            "SELECT orders.cust AS cust, SUM(orders.id) AS s, 1 AS one FROM shop.orders AS orders GROUP BY orders.cust"
            " ORDER BY cust DESC, s DESC, one DESC",
        ),
        (
            "select id from shop.customers qualify rank() over (order by since) = 1",
            "SELECT _rows.id AS id FROM (SELECT customers.id AS id, RANK() OVER (ORDER BY customers.since) AS _q1"
            " FROM shop.customers AS customers) AS _rows WHERE _rows._q1 = 1",
        ),
        (
            "select * from (select id, region from shop.customers) pivot (sum(id) for region in ('A', null as n))",
            "SELECT _pivot.a AS a, _pivot.n AS n FROM (SELECT SUM(_source.id) FILTER(WHERE _source.region"
            " IS NOT DISTINCT FROM 'A') AS a, SUM(_source.id) FILTER(WHERE _source.region IS NOT DISTINCT FROM NULL)"
            " AS n FROM (SELECT customers.id AS id, customers.region AS region FROM shop.customers AS customers)"
            " AS _source) AS _pivot",
        ),
        (
            "select * from shop.customers unpivot (v for name in (region as r)) u",
            "SELECT u.id AS id, u.since AS since, u.name AS name, u.v AS v FROM (SELECT customers.id AS id,"
            " customers.since AS since, 'r' AS name, customers.region AS v FROM shop.customers AS customers"
            " WHERE NOT customers.region IS NULL) AS u",
        ),
        (
            "select region from shop.customers group by region having max(id) in (select id from shop.orders)",
            "SELECT _rows.region AS region FROM (SELECT customers.region AS region, MAX(customers.id) AS _q1"
            " FROM shop.customers AS customers GROUP BY customers.region) AS _rows"
            " WHERE _rows._q1 IN (SELECT orders.id AS id FROM shop.orders AS orders)",
        ),
    ],
)
def test_a_spelling_is_written_out(sql: str, expected: str) -> None:
    assert plain(sql) == expected


def test_pivoted_columns_are_spelled_as_spark_spells_them() -> None:
    sql = (
        "select * from shop.customers pivot (max(since) as M, count(*) for region in ('North', -1, date '2020-01-01'))"
    )
    names = [c.name for c in read(sql).columns]
    assert names == ["id", "North_M", "North_count(1)", "-1_M", "-1_count(1)", "2020-01-01_M", "2020-01-01_count(1)"]


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("select * from shop.customers pivot (max(since) for region in (1e3))", "has no name"),
        ("select * from shop.customers pivot (max(since), sum(id + 1) for region in (1))", "has no name"),
        ("select customers.* from shop.customers pivot (max(since) for region in (1))", "after PIVOT"),
        ("select * from shop.customers pivot (sum(id) for (region, since) in (1))", "2 columns by 1 values"),
        ("select * from shop.orders o join shop.customers c on o.id = c.id pivot (sum(cust) for region in ('a'))",
         "PIVOT over a join"),
        ("select * from shop.customers as x(a, b)", "names 2 columns of a table that has 3"),
        ("select cust + sum(id) as s from shop.orders group by all", "mixes columns and aggregates"),
        ("select (id, cust) in (select id from shop.customers) as x from shop.orders", "compares 2 values with 1"),
        ("select id from shop.orders union by name select region from shop.customers", "different columns"),
        ("select sum(id) over v as s from shop.orders window w as (order by id)", 'unknown window "v"'),
    ],
)  # fmt: skip
def test_what_has_no_plain_form_is_named(sql: str, message: str) -> None:
    assert message in error_of(sql).message


MATCH = "EXISTS(SELECT 1 AS _one FROM shop.customers AS c WHERE o.cust = c.id)"
NULL_MEMBER = "EXISTS(SELECT 1 AS _one FROM shop.customers AS c WHERE c.id IS NULL)"
UNKNOWN = f"{NULL_MEMBER} OR (o.cust IS NULL AND EXISTS(SELECT 1 AS _one FROM shop.customers AS c))"


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("cust in (select c.id from shop.customers c)", "o.cust IN (SELECT c.id AS id FROM shop.customers AS c)"),
        (
            "not (cust in (select c.id from shop.customers c)) and o.id > 1",
            "NOT o.cust IN (SELECT c.id AS id FROM shop.customers AS c) AND o.id > 1",
        ),
        ("o.id = 1 or cust in (select c.id from shop.customers c)", f"o.id = 1 OR {MATCH}"),
        ("o.id = 1 or cust not in (select c.id from shop.customers c)", f"o.id = 1 OR NOT ({MATCH} OR ({UNKNOWN}))"),
        (
            "not (o.id = 1 or cust in (select c.id from shop.customers c))",
            f"NOT (o.id = 1 OR CASE WHEN {MATCH} THEN TRUE WHEN {UNKNOWN} THEN NULL ELSE FALSE END)",
        ),
        (
            "o.id = 1 or cust in (select o.id from shop.orders o)",
            "o.id = 1 OR EXISTS(SELECT 1 AS _one FROM (SELECT o.id AS id FROM shop.orders AS o) AS _member"
            " WHERE o.cust = _member.id)",
        ),
        (
            "o.id = 1 or cust in (select max(c.id) from shop.customers c group by region)",
            "o.id = 1 OR EXISTS(SELECT 1 AS _one FROM (SELECT MAX(c.id) AS _col_0 FROM shop.customers AS c"
            " GROUP BY c.region) AS _member WHERE o.cust = _member._col_0)",
        ),
    ],
)
def test_membership_is_asked_with_exists_unless_it_stands_alone(condition: str, expected: str) -> None:
    assert plain(f"select o.id from shop.orders o where {condition}") == f"SELECT o.id AS id {O} WHERE {expected}"


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("cust = any (select c.id from shop.customers c)", "o.cust IN (SELECT c.id AS id FROM shop.customers AS c)"),
        (
            "cust <> all (select c.id from shop.customers c)",
            "NOT o.cust IN (SELECT c.id AS id FROM shop.customers AS c)",
        ),
        (
            "cust < some (select c.id from shop.customers c)",
            "EXISTS(SELECT 1 AS _one FROM shop.customers AS c WHERE o.cust < c.id)",
        ),
        (
            "cust < all (select c.id from shop.customers c)",
            "NOT EXISTS(SELECT 1 AS _one FROM shop.customers AS c"
            " WHERE (o.cust >= c.id OR o.cust IS NULL OR c.id IS NULL))",
        ),
        ("cust = any (array[1, 2])", "o.cust IN (1, 2)"),
    ],
)
def test_quantifiers_are_asked_with_exists(condition: str, expected: str) -> None:
    sql = f"select o.id from shop.orders o where {condition}"
    assert plain(sql, "postgres") == f"SELECT o.id AS id {O} WHERE {expected}"


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "select distinct on (region) id from shop.customers order by region desc, since limit 2",
            "SELECT _rows.id AS id FROM (SELECT customers.id AS id, ROW_NUMBER() OVER (PARTITION BY customers.region"
            " ORDER BY customers.region DESC NULLS FIRST, customers.since NULLS LAST) AS _n, customers.region AS _o1,"
            " customers.since AS _o2 FROM shop.customers AS customers) AS _rows WHERE _rows._n = 1"
            " ORDER BY _rows._o1 DESC NULLS FIRST, _rows._o2 NULLS LAST LIMIT 2",
        ),
        (
            "select a.id, c.since from shop.customers a, shop.orders b right join shop.customers c on b.id = c.id",
            "SELECT a.id AS id, c.since AS since FROM shop.orders AS b RIGHT JOIN shop.customers AS c ON b.id = c.id"
            " CROSS JOIN shop.customers AS a",
        ),
        (
            "select o.id, e from shop.orders o cross join unnest(array[1, 2]) as u(e)",
            "SELECT o.id AS id, u.e AS e FROM shop.orders AS o CROSS JOIN LATERAL EXPLODE(ARRAY(1, 2)) AS u(e)",
        ),
    ],
)
def test_what_only_postgresql_writes_is_written_for_spark(sql: str, expected: str) -> None:
    assert plain(sql, "postgres") == expected


@pytest.mark.parametrize("union", ["union", "union all"])
def test_a_recursive_query_has_the_columns_of_its_first_branch(union: str) -> None:
    query = read(
        "with recursive r(a, n) as (select id, 0 from shop.orders"
        f" {union} select o.cust, cast(n + 1 as bigint) from shop.orders o join r on r.a = o.id) select * from r"
    )
    assert [(c.name, c.type) for c in query.columns] == [("a", "int"), ("n", "int")]


@pytest.mark.parametrize(
    ("sql", "types"),
    [
        ("select * from (values (1, 'a', null), (2, null, 2.5)) as v(a, b, c)", ["int", "string", "decimal(2,1)"]),
        ("select pos, e from shop.orders lateral view posexplode(array(1, 2)) t as pos, e", ["int", "int"]),
        ("select s from shop.customers c, lateral (select sum(o.id) as s from shop.orders o where o.id = c.id) l",
         ["bigint"]),
    ],
)  # fmt: skip
def test_relations_that_are_not_stored_have_types(sql: str, types: list[str]) -> None:
    assert [c.type for c in read(sql).columns] == types
