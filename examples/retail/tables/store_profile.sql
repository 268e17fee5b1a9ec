-- One line a store: distinct counts, filtered and conditional sums, extremes.
{{ config(refresh_mode='differential') }}
select
    ss_store_sk,
    count(*) as lines,
    count(distinct ss_customer_sk) as customers,
    count(distinct ss_item_sk) filter (where ss_quantity > 4) as items_in_bulk,
    sum(distinct ss_quantity) as distinct_quantities,
    sum(ss_net_profit) filter (where ss_net_profit < 0) as losses,
    sum(case when ss_quantity is null then 1 else 0 end) as without_quantity,
    min(ss_sales_price) as cheapest,
    max(ss_sales_price) as dearest
from {{ source('retail', 'store_sales') }}
group by ss_store_sk
