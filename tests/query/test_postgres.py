"""PostgreSQL queries keep their meaning on Spark, or are refused."""

from __future__ import annotations

import pytest
from query_tables import error_of, read

from trickle.query.canonical import canonical_sql


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select id / cust as q from shop.orders", "CAST(`orders`.`id` DIV `orders`.`cust` AS INT)"),
        ("select count(*) / 2 as q from shop.orders", "COUNT(*) DIV 2"),
        ("select amount / 2 as q from shop.orders", "`orders`.`amount` / 2"),
        ("select q / 2 as h from (select id / cust as q from shop.orders) s", "CAST(`s`.`q` DIV 2 AS INT)"),
        ("select since - date '2020-01-01' as d from shop.customers", "DATEDIFF("),
        ("select log(id) as l from shop.orders", "LOG10("),
        ("select id::bigint as l from shop.orders", "CAST(`orders`.`id` AS BIGINT)"),
        ("select every(id > 1) as l from shop.orders", "BOOL_AND(`orders`.`id` > 1)"),
        (
            "select string_agg(region, ',' order by since desc) as l from shop.customers",
            "`customers`.`since` DESC NULLS FIRST",
        ),
        (
            "select rank() over (order by region) as l from shop.customers",
            "RANK() OVER (ORDER BY `customers`.`region` NULLS LAST)",
        ),
        ("select id from shop.customers order by region desc limit 1", "DESC NULLS FIRST"),
        ("select region || 'x' as l from shop.customers where region ilike 'a%'", "ILIKE 'a%'"),
    ],
)
def test_meaning_is_kept(sql: str, expected: str) -> None:
    assert expected in canonical_sql(read(sql, "postgres"))


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("select my_function(id) / 2 as q from shop.orders", "function my_function"),
        ("select amount::int as q from shop.orders", "which rounds"),
        ("select sum(id::bigint) / count(*) as q from shop.orders", "a sum of bigint is numeric"),
        ("select string_agg(region, ',') as q from shop.customers", "STRING_AGG"),
        ("select grouping(id, region) as q from shop.customers group by rollup (id, region)", "grouping of several"),
        ("select i from generate_series(1, 3) as g(i)", "GENERATE_SERIES"),
        ("select array_agg(id order by cust) as q from shop.orders", "ARRAY_AGG"),
        ("select extract(dow from since) as q from shop.customers", "extract(dow)"),
        ("select substr(region, 0, 3) as q from shop.customers", "substring"),
        ("select left(region, -1) as q from shop.customers", "LEFT"),
        ("select regexp_replace(region, 'a', 'b') as q from shop.customers", "REGEXP_REPLACE"),
        ("select region::varchar(2) as q from shop.customers", "varchar(2)"),
        ("select region::char(7) as q from shop.customers", "char(7)"),
        ("select trunc(amount, 1) as q from shop.orders", "TRUNC"),
        ("select since + interval '1 day' as q from shop.customers", "interval"),
        ("select date_trunc('month', since) as q from shop.customers", "date_trunc"),
        ("select initcap(region) as q from shop.customers", "INITCAP"),
        ("select concat(region, 'x') as q from shop.customers", "CONCAT"),
        ("select id::numeric as q from shop.orders", "numeric without precision"),
    ],
)
def test_doubtful_meaning_is_refused(sql: str, message: str) -> None:
    assert message in error_of(sql, "postgres").message
