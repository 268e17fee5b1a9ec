"""What the postgres dialect accepts means what it means in PostgreSQL, over values chosen to tell them apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.end_to_end.workbench import Workbench

pytestmark = [pytest.mark.spark, pytest.mark.postgres]

TABLE = """
create table v (id int primary key, i int, j int, b bigint, n numeric(10,3), m numeric(6,2), f double precision,
                s text, c char(6), d date, e date, t timestamptz, u timestamp, o boolean)
"""
ROWS = """
insert into v values
  (1, 7, 2, 9000000000, 2.500, 0.05, 0.1, ' Straße ', 'ab', '2024-02-29', '2023-12-31',
   '2024-03-31 01:30:00+00', '2024-03-31 02:30:00.123456', true),
  (2, -7, 2, -9000000000, -2.500, -0.05, -0.0, 'ÄÖÜ', 'Ab ', '2000-01-01', '1969-12-31',
   '1969-12-31 23:59:59.999999+00', '1969-12-31 23:59:59.999999', false),
  (3, 7, -2, 3, 3.445, 1.15, 1e300, '', '', '1900-03-01', '1900-02-28',
   '1900-01-01 00:00:00+00', '1900-01-01 00:00:00', null),
  (4, -7, -2, -3, -3.445, -1.15, -1.5, 'a_b%c', 'zz', '2024-12-31', '2025-01-01',
   '2024-10-27 00:59:59+00', '2024-10-27 01:59:59', true),
  (5, null, 1, null, null, null, null, null, null, null, null, null, null, null),
  (6, 0, 1, 0, 0.000, 0.00, 0.0, 'Zebra', '日本', '1970-01-01', '1970-01-01', 'epoch', 'epoch', false)
"""
EXPRESSIONS = """
i / j ; i % j ; b / j ; b % 7 ; -i / 2 ; abs(i) ; i + b ; i * j - 1 ; (i + 1) / 2 * 2
n + m ; n - m ; n * m ; round(n, 2) ; round(n) ; round(n, 1) ; ceil(n) ; floor(n) ; abs(n) ; n > m ; round(i)
cast(i as bigint) ; cast(i as text) ; cast(n as text) ; cast(d as text) ; cast(o as text) ; cast(o as int)
cast(i as numeric(12,2)) ; cast(n as numeric(8,1)) ; cast(i as double precision) ; cast(n as double precision)
lower(c) ; upper(c) ; length(s) ; trim(s) ; substring(s, 2) ; substring(s, 1, 3) ; s || '!' ; s || i
s like 'a\\_b%' ; s like '%a' ; s not like 'Ä%' ; s between 'A' and 'a' ; s = '' ; s is distinct from ''
coalesce(s, 'none') ; nullif(i, 7) ; greatest(i, j) ; least(i, j) ; greatest(s, 'm')
case when o then i else j end ; case i when 7 then 'seven' when 0 then 'zero' end ; not o ; o or i > 0 ; o and i > 0
i in (7, 0) ; i not in (7, null) ; i between -7 and 0 ; i is null ; o is true ; o is not false
extract(year from d) ; extract(month from t) ; extract(day from u) ; extract(hour from t) ; extract(minute from u)
d - e ; d = e ; d > date '2000-01-01' ; t > timestamptz '2000-01-01 00:00:00+00' ; u < timestamp '2000-01-01'
date_trunc('month', t) ; date_trunc('day', t) ; date_trunc('hour', t) ; date_trunc('year', t)
t + interval '1 day' ; u - interval '1 hour' ; c = 'ab' ; length(c) ; c || '|'
"""


def test_scalar_expressions_agree_with_postgresql(tmp_path: Path, database: str) -> None:
    expressions = [text.strip() for line in EXPRESSIONS.strip().splitlines() for text in line.split(" ; ")]
    columns = ", ".join(f"{text} as c{i}" for i, text in enumerate(expressions))
    bench = Workbench(tmp_path, database, ["v"], {"all_of_them": f"select id, {columns} from {{v}}"}, "postgres")
    bench.execute(TABLE, ROWS)
    bench.run()
    ours = {row[0]: row for row in bench.rows("all_of_them")}
    theirs = {row[0]: row for row in bench.postgres(f"select id, {columns} from {{v}}")}
    assert ours.keys() == theirs.keys()
    differing = [
        (text, key, ours[key][i], theirs[key][i])
        for i, text in enumerate(expressions, start=1)
        for key in ours
        if ours[key][i] != theirs[key][i]
    ]
    assert not differing


ROWS_OF_PAIRS = """
insert into a values (1, 10, 'p'), (2, 20, null), (null, 30, 'q'), (3, null, 'p'), (3, null, 'p'), (4, 7, 'r');
insert into b values (7, 1), (8, 1), (9, 4), (null, null), (9, 4), (20, 2)
"""
SPELLINGS = """
select distinct on (k) k, x, w from {a} order by k, x desc, w
select distinct on (w) k from {a} order by w desc, k limit 2
select k from {a} where x > all (select y from {b})
select k from {a} where x > all (select y from {b} where y is not null) or k = 3
select k from {a} where x = any (select y from {b}) or x <> all (select y from {b} where b.k = a.k)
select k, x >= any (select y from {b}) as i, x < all (select y from {b} where y < 9) as j from {a}
select k, x in (select y from {b}) as i, x not in (select y from {b} where y is not null) as j from {a}
select k, (k, x) in (select k, y from {b}) as i, (k, x) not in (select k, y from {b} where y > 7) as j from {a}
select k from {a} where not (k = 1 or (k, x) in (select k, y from {b}))
select k from {a} where k = any (array[1, 3]) and x is null
select w, count(*) as n from {a} group by w having count(*) >= all (select b.k from {b} where b.k < 3)
select * from {a} natural full join {b}
select k as kk, a.k as ak, b.* from {a} right join {b} using (k)
select a.k, c.y from {a}, {b} b right join {b} c on b.k = c.y
select w, string_agg(w, ',' order by k desc) as s, bool_or(x > 7) as o, every(x > 7) as e from {a} group by w
select w, sum(x) filter (where k > 1) as s, count(distinct k) as c from {a} group by w
select w, k, grouping(w) as g, sum(x) as s from {a} group by grouping sets ((w), (k), ())
select k, row_number() over (order by x desc, k, w) as n, lag(x) over (order by k, x) as l from {a} where w is not null
select k, sum(x) over (order by k rows between 1 preceding and 1 following) as s from {a} where k <> 3
select k, m from {a}, lateral (select max(y) as m from {b} where b.k < a.k) l
select k, x from {a} order by x desc, k limit 3
select k, sum(x) over w as s from {a} window w as (partition by k)
select k, column1 from {a} join (values (1), (3), (null)) v on column1 = k
"""


def test_spellings_of_postgresql_agree_with_postgresql(tmp_path: Path, database: str) -> None:
    queries = [line.strip() for line in SPELLINGS.strip().splitlines()]
    tables = {f"q{i}": sql for i, sql in enumerate(queries)}
    bench = Workbench(tmp_path, database, ["a", "b"], tables, "postgres")
    bench.execute("create table a (k int, x int, w text); create table b (y int, k int)", ROWS_OF_PAIRS)
    bench.run()
    differing = [sql for name, sql in tables.items() if bench.rows(name) != bench.postgres(sql)]
    assert not differing
