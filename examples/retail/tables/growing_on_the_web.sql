-- Customers whose web spending grew more than their store spending (q11, q74): one CTE, read four times.
{{ config(refresh_mode='differential') }}
with year_total as (
    select channel, customer_sk, d_year, sum(amount) as total
    from {{ ref('sales') }}
    join {{ source('retail', 'date_dim') }} on d_date_sk = sold_date_sk
    where channel in ('store', 'web')
    group by channel, customer_sk, d_year
)
select c_customer_sk, c_name, w1.total as web_before, w2.total as web_after, s1.total as store_before, s2.total as store_after
from year_total s1
join year_total s2 on s2.customer_sk = s1.customer_sk
join year_total w1 on w1.customer_sk = s1.customer_sk
join year_total w2 on w2.customer_sk = s1.customer_sk
join {{ source('retail', 'customer') }} on c_customer_sk = s1.customer_sk
where s1.channel = 'store' and s1.d_year = 2024 and s2.channel = 'store' and s2.d_year = 2025
  and w1.channel = 'web' and w1.d_year = 2024 and w2.channel = 'web' and w2.d_year = 2025
  and s1.total > 0 and w1.total > 0
  and w2.total * s1.total > s2.total * w1.total
