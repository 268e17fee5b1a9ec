-- RF1: new orders with their lines, copied from existing ones, most of them aimed at what one of the queries selects.
-- Of the temporary table `round` it reads the seed and the share of rows to change.

create temp table aim (number int, query text, placed date) on commit drop;
insert into aim values
    (0, 'any', null), (1, 'Q3', '1995-03-01'), (2, 'Q4', '1993-07-20'), (3, 'Q5', '1994-05-15'), (4, 'Q7', '1995-01-15'),
    (5, 'Q8', '1995-08-05'), (6, 'Q10', '1993-10-10'), (7, 'Q12', '1994-03-01'), (8, 'Q13', null), (9, 'Q14', '1995-08-20'),
    (10, 'Q15', '1996-01-15'), (11, 'Q17', null), (12, 'Q18', null), (13, 'Q19', null), (14, 'Q20', '1994-02-01'),
    (15, 'Q21', '1994-09-01'), (16, 'Q22', null);

-- Customers a query asks for, numbered within it.
create temp table buyer on commit drop as
select query, c_custkey, row_number() over (partition by query order by c_custkey) as number,
    count(*) over (partition by query) as of_all
from customer
join nation on n_nationkey = c_nationkey
join aim on case query
        when 'Q3' then c_mktsegment = 'BUILDING'
        when 'Q5' then n_name = 'INDIA'
        when 'Q7' then n_name = 'FRANCE'
        when 'Q8' then n_name = 'BRAZIL'
        when 'Q22' then substring(c_phone from 1 for 2) in ('13', '31', '23', '29', '30', '18', '17')
            and c_acctbal > 5000 and not exists (select from orders where o_custkey = c_custkey)
    end;

-- Parts of suppliers a query asks for, likewise.
create temp table offer on commit drop as
select query, ps_partkey, ps_suppkey, p_brand, count(*) over (partition by query) as of_all,
    row_number() over (partition by query order by ps_partkey, ps_suppkey) as number
from partsupp
join part on p_partkey = ps_partkey
join supplier on s_suppkey = ps_suppkey
join nation on n_nationkey = s_nationkey
cross join round
join aim on case query
        when 'Q5' then n_name = 'INDIA'
        when 'Q7' then n_name = 'GERMANY'
        when 'Q8' then n_name = 'BRAZIL' and p_type = 'ECONOMY ANODIZED STEEL'
        when 'Q15' then s_suppkey = 1 + seed % (select count(*) from supplier)
        when 'Q17' then p_brand = 'Brand#23' and p_container = 'MED BOX'
        when 'Q19' then p_brand = 'Brand#12' and p_container like 'SM%' and p_size <= 5
            or p_brand = 'Brand#23' and p_container like 'MED%' and p_size <= 10
            or p_brand = 'Brand#34' and p_container like 'LG%' and p_size <= 15
        when 'Q20' then n_name = 'CANADA' and p_name like 'forest%'
        when 'Q21' then n_name = 'SAUDI ARABIA'
    end;

create temp table born on commit drop as
with template as (
    select orders.*, hashint8extended(o_orderkey, seed) & 9223372036854775807 as hash,
        row_number() over (order by hashint8extended(o_orderkey, seed), o_orderkey) as number
    from orders, round
    order by number
    limit (select ceil(share / 2 * count(*)) from orders, round group by share)
), aimed as (
    select template.*, query, coalesce(placed + (hash % 20)::int, o_orderdate) as ordered
    from template join aim on aim.number = template.number % (select count(*) from aim)
)
select (select max(o_orderkey) from orders) + aimed.number as orderkey, query, o_orderkey as template, ordered,
    ordered - o_orderdate as moved, coalesce(c_custkey, o_custkey) as custkey, o_orderpriority, o_clerk, o_shippriority,
    case query when 'Q13' then 'special packages, requests' else o_comment end as comment
from aimed
left join buyer using (query)
where c_custkey is null or buyer.number = 1 + hash / 32 % of_all;

-- Q18 asks for more pieces than most orders have lines for; Q21 for one late line of an order that has others in time.
create temp table born_line on commit drop as
with line as (
    select born.*, lineitem.*, hashint8extended(l_orderkey * 8 + l_linenumber, seed) & 9223372036854775807 as hash,
        count(*) over (partition by orderkey) as lines
    from born join lineitem on l_orderkey = template, round
), offered as (
    select line.*, offer.ps_partkey, offer.ps_suppkey, p_brand
    from line
    left join offer using (query)
    where ps_partkey is null or offer.number = 1 + hash / 32 % of_all
), settled as (
    select offered.*,
        case when query = 'Q21' and l_linenumber > 1 then l_partkey else coalesce(ps_partkey, l_partkey) end as partkey,
        case when query = 'Q21' and l_linenumber > 1 then l_suppkey else coalesce(ps_suppkey, l_suppkey) end as suppkey,
        case
            when query = 'Q15' then 50
            when query = 'Q17' then 1 + hash % 5
            when query = 'Q18' then ceil(310.0 / lines)
            when query = 'Q19' then case p_brand when 'Brand#12' then 1 when 'Brand#23' then 10 else 20 end + hash % 11
            else l_quantity
        end as quantity,
        l_receiptdate + moved as received
    from offered
)
select orderkey, partkey, suppkey, l_linenumber as line, quantity, quantity * p_retailprice as price, l_discount as discount,
    l_tax as tax, l_shipdate + moved as shipped, received, hash, l_comment as comment,
    case when query = 'Q21' then received + case l_linenumber when 1 then -1 else 1 end else l_commitdate + moved end as committed,
    case query when 'Q19' then 'DELIVER IN PERSON' else l_shipinstruct end as instruct,
    case query when 'Q19' then 'AIR' when 'Q12' then 'MAIL' else l_shipmode end as mode
from settled
join part on p_partkey = partkey;

insert into orders
select orderkey, custkey,
    case when max(shipped) <= date '1995-06-17' then 'F' when min(shipped) > date '1995-06-17' then 'O' else 'P' end,
    sum(price * (1 + tax) * (1 - discount)), ordered, o_orderpriority, o_clerk, o_shippriority, born.comment
from born
join born_line using (orderkey)
group by orderkey, custkey, ordered, o_orderpriority, o_clerk, o_shippriority, born.comment;

insert into lineitem
select orderkey, partkey, suppkey, line, quantity, price, discount, tax,
    case when received > date '1995-06-17' then 'N' when hash % 2 = 0 then 'R' else 'A' end,
    case when shipped > date '1995-06-17' then 'O' else 'F' end,
    shipped, committed, received, instruct, mode, comment
from born_line;
