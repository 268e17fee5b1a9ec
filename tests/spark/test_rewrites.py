"""A query rewritten into plain SQL gives the rows it gave as it was written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import pytest
from pyspark.sql import SparkSession
from rewritten_tables import COLUMNS, ROWS, as_views, canonical, in_duckdb, in_spark

from trickle.engine.spark import SparkEngine

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def session(engine: SparkEngine) -> SparkSession:
    engine.schema([], "select 1 as one")
    session = SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()
    for name, columns in COLUMNS.items():
        names = ", ".join(c.split()[0] for c in columns.split(","))
        casts = ", ".join(f"cast({c.split()[0]} as {c.split()[1]}) as {c.split()[0]}" for c in columns.split(", "))
        session.sql(f"select {casts} from values {ROWS[name]} as t({names})").createOrReplaceTempView(f"`s.{name}`")
    return session


@pytest.fixture(scope="module")
def duck() -> Iterator[Any]:
    connection = duckdb.connect()
    connection.execute("create schema s")
    connection.execute("set default_null_order = 'postgres'")
    for name, columns in COLUMNS.items():
        if name != "n":
            connection.execute(f"create table s.{name} ({columns})")
            connection.execute(f"insert into s.{name} values {ROWS[name]}")
    yield connection
    connection.close()


AS_WRITTEN = """
select * from s.a join s.b using (k)
select * from s.a natural join s.b
select * from s.a left join s.b using (k)
select * from s.b right join s.c using (k)
select * from s.b full join s.c using (k)
select * from s.b left semi join s.c using (k)
select * from s.b left anti join s.c using (k)
select * from s.b full join s.c using (k) natural join s.d
select * from s.b full join s.c using (k) full join s.d using (k, j)
select k, b.k as bk, c.k as ck, d.k as dk from s.b full join s.c using (k) full join s.d using (k)
select c.w2, b.* from s.b right join s.c using (k)
select * except (k) from s.b full join s.c using (k)
select k, count(*) as n from s.b full join s.c using (k) group by k having k > 1 order by k
select k from s.b full join s.c using (k) where k in (select k from s.a where x > z)
select b.k as kk, c.k as k from s.b full join s.c using (k) join s.a on a.k = b.k
select * from (select k, x, v from s.a ) pivot (sum(x) for k in (1, 2, null))
select * from (select k, x, v from s.a ) pivot (count(x) for k in (1, 2 as two))
select * from (select k, x, v from s.a ) pivot (count(*) as n, max(x) for k in (1, 2 as two))
select * from s.b pivot (count(*) as n, max(w) as m for k in (1, 4))
select * from s.b pivot (collect_list(w) for k in (1, 4))
select * from s.a pivot (coalesce(sum(x), 0) as s for (k, v) in ((1, 100), (2, null) as q))
select * from s.a pivot (sum(x) s, avg(v) for k in ('1', 2))
select * from s.e pivot (count(*) for k in (7))
select p.v, `2` from s.a pivot (sum(x) for k in (1, 2)) as p join s.d on p.v = d.j
with q as (select * from s.b natural join s.c ) select * from q pivot (sum(z) for (k, j) in ((1, 1) as one, (2, null)))
select * from s.c unpivot include nulls ((p, q) for nm in ((z, j) as zj, (k, k)))
select * from s.c unpivot ((p, q) for nm in ((z, j) as zj, (k, k)))
select u.* from s.c unpivot (p for nm in (z, j as jj)) as u
with q as (select k, z, j from s.c ) select nm, sum(p) as s from q unpivot (p for nm in (z, j as jj)) group by nm
select m, o from s.d/ as q(m, o) where o is not null
select v.p, q from (values (1, 'a'), (2, null)) as v(p, q)
select col1, col2 from values (1, 'a'), (2, null)
with c1(p, q) as (values (1, 2), (3, 4)) select * from c1
with c1 as (values (1, 2), (3, 4)) select col2, k from c1 join s.d on col1 = j
with c1(p, q) as (select k, x from s.a ) select * from c1
select * from (s.b join s.c using (k)) jj
select k, sum(v) as s, 1 as one, count(*) over () as c from s.a group by all
select 1 as one, count(*) as n from s.a where k > 99 group by all
select k + 1 as a, a * 2 as b from s.a
select max(x) as x, k from s.a group by k having x > 1
select max(x) as k, k as kk from s.a group by k having k > 1
select k + 1 as g, count(*) as n from s.a group by g having n > 0 order by g
select k, x from s.a order by 2 nulls last, 1 limit 2
select k from s.a qualify row_number() over (partition by k order by x, v) = 1
select distinct k, count(*) over (partition by k) as n from s.a qualify n > 1 or x = 10
select sum(x) over w as y from s.a window w as (partition by k order by x, v)
select id, e from s.n lateral view explode(tags) t as e where e > 1
select id, e from s.n lateral view outer explode(tags) t as e
select id, pos, e from s.n , lateral posexplode(tags) as t(pos, e)
select id, y from s.n , lateral (select p + id as y) l
select id, y from s.n left join lateral (select sum(x) as y from s.a where a.k = id) as l on true
with recursive r as (select id, 0 as d from s.n where p is null union all select n.id, d + 1 from s.n join r on n.p = r.id) select * from r
with recursive r(i, l) as (select id, 0 from s.n where p is null union all select n.id, l + 1 from s.n join r on n.p = r.i) select l, i from r
"""  # noqa: E501 a query a line


@pytest.mark.parametrize("sql", [line.strip() for line in AS_WRITTEN.strip().splitlines()])
def test_spark_gives_the_rows_of_the_query_as_written(session: SparkSession, sql: str) -> None:
    expected = in_spark(session, as_views(sql + " "))
    assert in_spark(session, canonical(sql.replace("/", ""))) == expected


THREE_VALUED = """
select k, {x} in (select x2 from s.b ) as i from s.a
select k, {x} not in (select x2 from s.b where w <> 's') as i from s.a
select k, not ({x} in (select x2 from s.b where x2 > 100)) as i from s.a
select k, {x} in (select b.k + 6 from s.b where b.k = a.k) as i from s.a
select k, (k, {x}) in (select k, x2 from s.b ) as i from s.a
select k from s.a where k > 3 or {x} in (select x2 from s.b )
select k from s.a where k > 3 or {x} not in (select x2 from s.b )
select k from s.a where k > 3 or {x} not in (select x2 from s.b where w <> 's')
select k from s.a where k > 3 or {x} not in (select a.x from s.a where a.x > 20)
select k from s.a where k > 3 or not ((k, {x}) in (select k, x2 from s.b ))
select k from s.a where not (k > 3 or {x} in (select max(x2) from s.b group by w))
select k from s.a where {x} in (select x2 from s.b ) is null
select k from s.a where case when {x} in (select x2 from s.b order by x2 nulls last limit 1) then k = 4 else k = 1 end
select count(*) filter (where {x} in (select x2 from s.b )) as n from s.a
select sum(case when {x} in (select x2 from s.b ) then 1 else 0 end) as n from s.a
select a.k, d.j from s.a join s.d on a.k = d.k or {x} in (select x2 from s.b )
"""


@pytest.mark.parametrize("x", ["x", "7", "null"])
@pytest.mark.parametrize("sql", [line.strip() for line in THREE_VALUED.strip().splitlines()])
def test_membership_keeps_unknown_apart_from_false(session: SparkSession, duck: Any, sql: str, x: str) -> None:
    sql = sql.replace("{x}", x)
    assert in_spark(session, canonical(sql))[1] == in_duckdb(duck, sql)


QUANTIFIED = """
select k from s.a where x {op} any (select x2 from s.b )
select k from s.a where x {op} all (select x2 from s.b )
select k from s.a where x {op} all (select x2 from s.b where x2 is not null)
select k from s.a where x {op} all (select x2 from s.b where x2 > 100)
select k from s.a where not x {op} any (select x2 from s.b where x2 is not null)
select k from s.a where not (x {op} all (select x2 from s.b ))
select k, x {op} any (select x2 from s.b ) as i from s.a
select k, x {op} all (select x2 from s.b ) as i, x {op} some (select x2 from s.b where x2 > 7) as j from s.a
select k from s.a where k = 3 or x {op} all (select a.x from s.a where a.x > 10)
select k from s.a where x {op} all (select b.x2 from s.b where b.k = a.k)
"""


@pytest.mark.parametrize("op", ["=", "<>", "<", ">="])
@pytest.mark.parametrize("sql", [line.strip() for line in QUANTIFIED.strip().splitlines()])
def test_quantifiers_mean_what_they_mean_in_sql(session: SparkSession, duck: Any, sql: str, op: str) -> None:
    sql = sql.replace("{op}", op)
    assert in_spark(session, canonical(sql, "postgres"))[1] == in_duckdb(duck, sql)


POSTGRES = """
select distinct on (k) k, x, v from s.a order by k, x desc, v
select distinct on (k) x + 1 as y from s.a order by k desc, y
select distinct on (k) k, sum(x) as s from s.a group by k, v order by k, sum(x), v
select distinct on (k) k, x from s.a order by k nulls first, x limit 2
select k, x from s.a order by x desc, k limit 2
select k, row_number() over (order by x desc, k, v) as n from s.a
select k, first_value(x) over (partition by k order by x, v rows between 1 preceding and 1 following) as f from s.a
select x, k, count(*) as n from s.a natural join s.b group by x, k
select a.* from s.b join s.a using (k)
"""


@pytest.mark.parametrize("sql", [line.strip() for line in POSTGRES.strip().splitlines()])
def test_postgres_spellings_mean_the_same(session: SparkSession, duck: Any, sql: str) -> None:
    assert in_spark(session, canonical(sql, "postgres"))[1] == in_duckdb(duck, sql)
