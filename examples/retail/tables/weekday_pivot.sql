-- Store sales with a column for each day of the week (q43, q59): PIVOT.
{{ config(refresh_mode='differential') }}
select *
from (
    select s_store_name as store_name, d_year as year, d_day_name as day_name, ss_quantity * ss_sales_price as amount
    from {{ source('retail', 'store_sales') }}
    join {{ source('retail', 'date_dim') }} on d_date_sk = ss_sold_date_sk
    join {{ source('retail', 'store') }} on s_store_sk = ss_store_sk
)
pivot (sum(amount) for day_name in ('Monday' as monday, 'Friday' as friday, 'Sunday' as sunday, 'Holiday' as holiday))
