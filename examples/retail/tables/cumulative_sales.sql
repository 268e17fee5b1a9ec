-- Items whose web sales, month by month, have overtaken the stores' (q51): running sums, a full join, a frame.
{{ config(refresh_mode='differential') }}
with web as (
    select ws_item_sk as item_sk, d_moy as month,
        sum(sum(ws_quantity)) over (partition by ws_item_sk order by d_moy rows between unbounded preceding and current row) as total
    from {{ source('retail', 'web_sales') }} join {{ source('retail', 'date_dim') }} on ws_sold_date_sk = d_date_sk
    where d_year = 2025 and ws_item_sk is not null
    group by ws_item_sk, d_moy
),
stores as (
    select ss_item_sk as item_sk, d_moy as month,
        sum(sum(ss_quantity)) over (partition by ss_item_sk order by d_moy rows between unbounded preceding and current row) as total
    from {{ source('retail', 'store_sales') }} join {{ source('retail', 'date_dim') }} on ss_sold_date_sk = d_date_sk
    where d_year = 2025
    group by ss_item_sk, d_moy
),
both_channels as (
    select
        coalesce(web.item_sk, stores.item_sk) as item_sk,
        coalesce(web.month, stores.month) as month,
        web.total as web_total,
        stores.total as store_total
    from web full join stores on web.item_sk = stores.item_sk and web.month = stores.month
),
carried as (
    select
        item_sk, month,
        max(web_total) over (partition by item_sk order by month rows between unbounded preceding and current row) as web_so_far,
        max(store_total) over (partition by item_sk order by month rows between unbounded preceding and current row) as store_so_far
    from both_channels
)
select item_sk, month, web_so_far, store_so_far
from carried
where web_so_far > store_so_far
