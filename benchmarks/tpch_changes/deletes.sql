-- RF2: orders go away with their lines: some that are large, some whose customer has no other, the rest at random.
-- Of the temporary table `round` it reads the seed and the share of rows to change.

create temp table dying on commit drop as
with wanted as (
    select ceil(share / 2 * count(*)) as n, seed + 1 as salt from orders, round group by share, seed
), large as (
    select l_orderkey as orderkey, 0 as rank
    from lineitem, wanted
    group by l_orderkey, salt
    having sum(l_quantity) > 300 and hashint8extended(l_orderkey, salt) % 2 = 0
    order by hashint8extended(l_orderkey, salt)
    limit (select ceil(n / 10) from wanted)
), single as (
    select min(o_orderkey) as orderkey, 1 as rank
    from orders, wanted
    group by o_custkey, salt
    having count(*) = 1
    order by hashint8extended(o_custkey, salt)
    limit (select ceil(n / 10) from wanted)
), random as (
    select o_orderkey as orderkey, 2 as rank
    from orders, wanted
    order by hashint8extended(o_orderkey, salt)
    limit (select n from wanted)
)
select orderkey
from (select * from large union all select * from single union all select * from random) candidates, wanted
group by orderkey, salt
order by min(rank), hashint8extended(orderkey, salt)
limit (select n from wanted);

delete from lineitem using dying where l_orderkey = orderkey;
delete from orders using dying where o_orderkey = orderkey;
