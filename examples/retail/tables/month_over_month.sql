-- Each store's month beside the month before and after, and the year's average (q47, q57).
{{ config(refresh_mode='differential') }}
with monthly as (
    select s_store_sk, s_store_name, d_year, d_moy, sum(ss_quantity * ss_sales_price) as amount
    from {{ source('retail', 'store_sales') }}
    join {{ source('retail', 'store') }} on s_store_sk = ss_store_sk
    join {{ source('retail', 'date_dim') }} on d_date_sk = ss_sold_date_sk
    group by s_store_sk, s_store_name, d_year, d_moy
)
select
    s_store_sk, s_store_name, d_year, d_moy, amount,
    lag(amount) over (partition by s_store_sk order by d_year, d_moy) as month_before,
    lead(amount) over (partition by s_store_sk order by d_year, d_moy) as month_after,
    cast(avg(amount) over (partition by s_store_sk, d_year) as decimal(12,2)) as average_of_year,
    sum(amount) over (partition by s_store_sk order by d_year, d_moy rows between 2 preceding and current row) as last_three_months
from monthly
