-- Store sales over states and classes, every combination, ranked within its level (q36, q70).
{{ config(refresh_mode='differential') }}
select
    s_state,
    i_brand,
    grouping(s_state) + grouping(i_brand) as level,
    sum(ss_net_profit) as profit,
    rank() over (
        partition by grouping(s_state) + grouping(i_brand), case when grouping(i_brand) = 0 then s_state end
        order by sum(ss_net_profit) desc
    ) as place
from {{ source('retail', 'store_sales') }}
join {{ source('retail', 'store') }} on s_store_sk = ss_store_sk
join {{ source('retail', 'item') }} on i_item_sk = ss_item_sk
group by cube (s_state, i_brand)
