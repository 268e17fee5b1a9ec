-- Price or profit of each band of quantities, whichever its size calls for (q9): scalar subqueries in CASE.
{{ config(refresh_mode='differential') }}
select
    s_store_sk,
    case
        when (select count(*) from {{ source('retail', 'store_sales') }} where ss_quantity between 1 and 3) > 500
        then (select max(ss_sales_price) from {{ source('retail', 'store_sales') }} where ss_quantity between 1 and 3)
        else (select sum(ss_net_profit) from {{ source('retail', 'store_sales') }} where ss_quantity between 1 and 3)
    end as small,
    case
        when (select count(*) from {{ source('retail', 'store_sales') }} where ss_quantity > 6) > 10000
        then (select min(ss_sales_price) from {{ source('retail', 'store_sales') }} where ss_quantity > 6)
        else (select sum(ss_net_profit) from {{ source('retail', 'store_sales') }} where ss_quantity > 6)
    end as large,
    (select count(*) from {{ source('retail', 'store_sales') }} where ss_store_sk = s_store_sk) as lines
from {{ source('retail', 'store') }}
