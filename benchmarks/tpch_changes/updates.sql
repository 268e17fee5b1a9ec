-- Customers, parts, suppliers, what suppliers have of a part, and nations change, into and out of what the queries select.
-- Of the temporary table `round` it reads the seed, the share of rows to change, and how many nations to change.

with chosen as (
    select c_custkey as key, row_number() over (order by hashint8extended(c_custkey, seed + 2), c_custkey) + seed as number
    from customer, round
    order by number
    limit (select ceil(share * count(*)) from customer, round group by share)
)
update customer set
    c_mktsegment = case when number % 4 <> 0 then c_mktsegment when c_mktsegment = 'BUILDING' then 'MACHINERY' else 'BUILDING' end,
    c_acctbal = case when number % 4 <> 1 then c_acctbal when c_acctbal > 4000 then -c_acctbal else c_acctbal + 6000.25 end,
    c_nationkey = case when number % 4 = 2 then (c_nationkey + 1) % 25 else c_nationkey end,
    c_phone = case when number % 4 = 2 then 10 + (c_nationkey + 1) % 25 || substring(c_phone from 3) else c_phone end,
    c_address = case when number % 4 = 3 then reverse(c_address) else c_address end
from chosen
where c_custkey = key;

-- Every other part is one that a Brazilian or Canadian supplier has.
with known as (
    select distinct ps_partkey
    from partsupp
    join supplier on s_suppkey = ps_suppkey
    join nation on n_nationkey = s_nationkey
    where n_name in ('BRAZIL', 'CANADA')
), ranked as (
    select p_partkey, ps_partkey is null as unknown, seed,
        row_number() over (partition by ps_partkey is null order by hashint8extended(p_partkey, seed + 3), p_partkey) as rank
    from part left join known on ps_partkey = p_partkey, round
), chosen as (
    select p_partkey as key, row_number() over (order by rank, unknown) + seed as number
    from ranked
    order by number
    limit (select ceil(share * count(*)) from part, round group by share)
)
update part set
    p_brand = case when number % 5 = 0 then 'Brand#23' when number % 5 = 1 then 'Brand#45' else p_brand end,
    p_container = case when number % 5 = 0 then 'MED BOX' else p_container end,
    p_type = case when number % 5 = 2 then (array['ECONOMY ANODIZED STEEL', 'PROMO PLATED BRASS', 'MEDIUM POLISHED TIN'])[1 + number / 5 % 3]
        else p_type end,
    p_size = case when number % 5 in (2, 3) then (array[15, 49, 3, 7])[1 + number / 5 % 4] else p_size end,
    p_name = case when number % 5 <> 4 then p_name when p_name like 'forest%' then 'plain' || substring(p_name from 7)
        else 'forest green' end
from chosen
where p_partkey = key;

with chosen as (
    select s_suppkey as key, row_number() over (order by hashint8extended(s_suppkey, seed + 4), s_suppkey) + seed as number
    from supplier, round
    order by number
    limit (select ceil(share * count(*)) from supplier, round group by share)
)
update supplier set
    s_nationkey = case when number % 3 = 0 then (array[3, 6, 7, 20, 8])[1 + number / 3 % 5] else s_nationkey end,
    s_acctbal = case when number % 3 = 1 then s_acctbal + 0.01 else s_acctbal end,
    s_comment = case when number % 3 <> 2 then s_comment when s_comment like '%Customer%Complaints%' then 'quiet'
        else 'Customer sent Complaints' end
from chosen
where s_suppkey = key;

-- Every other one is of a part that is asked for.
with ranked as (
    select ps_partkey, ps_suppkey, seed, p_size = 15 and p_type like '%BRASS' or p_name like 'forest%' as asked,
        row_number() over (partition by p_size = 15 and p_type like '%BRASS' or p_name like 'forest%'
            order by hashint8extended(ps_partkey::bigint << 32 | ps_suppkey, seed + 5)) as rank
    from partsupp join part on p_partkey = ps_partkey, round
), chosen as (
    select ps_partkey as part, ps_suppkey as supp, row_number() over (order by rank, asked) + seed as number
    from ranked
    order by number
    limit (select ceil(share * count(*)) from partsupp, round group by share)
)
update partsupp set
    ps_supplycost = case number % 3 when 0 then 1 + number % 7 when 1 then 1000 - number % 7 else ps_supplycost end,
    ps_availqty = case number % 3 when 2 then 10000 - ps_availqty else ps_availqty end
from chosen
where ps_partkey = part and ps_suppkey = supp;

-- The chosen nations pass their names on in a circle, so that none gets lost, and the first moves to another region.
with chosen as (
    select n_nationkey as key, n_name as name,
        row_number() over (order by n_name in ('BRAZIL', 'CANADA', 'FRANCE', 'GERMANY', 'INDIA', 'SAUDI ARABIA') desc,
            hashint8extended(n_nationkey, seed + 6)) as number
    from nation, round
    order by number
    limit (select nations from round)
), renamed as (
    select key, number, coalesce(lead(name) over (order by number), first_value(name) over (order by number)) as new_name
    from chosen
)
update nation set
    n_name = new_name,
    n_regionkey = case number when 1 then (n_regionkey + 1) % 5 else n_regionkey end
from renamed
where n_nationkey = key;
