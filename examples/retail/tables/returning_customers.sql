-- Customers who return far more than is usual in a store: a correlated average over a CTE that is read twice (q1).
{{ config(refresh_mode='differential') }}
with total_return as (
    select sr_customer_sk, sr_store_sk, sum(sr_return_amt) as total
    from {{ source('retail', 'store_returns') }}
    join {{ source('retail', 'date_dim') }} on sr_returned_date_sk = d_date_sk
    where d_year = 2025
    group by sr_customer_sk, sr_store_sk
)
select c_customer_sk, c_name, s_store_name, r.total
from total_return r
join {{ source('retail', 'store') }} on s_store_sk = r.sr_store_sk
join {{ source('retail', 'customer') }} on c_customer_sk = r.sr_customer_sk
where r.total > (
    select avg(usual.total) * 1.2 from total_return usual where usual.sr_store_sk = r.sr_store_sk
)
order by r.total desc, c_customer_sk, s_store_name
limit 12
