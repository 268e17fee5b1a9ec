-- Sales during a promotion of their item, and all other sales once: a left join on a range of dates.
{{ config(refresh_mode='differential') }}
select channel, item_sk, p_promo_sk, count(*) as lines, sum(amount) as amount
from {{ ref('sales') }}
left join {{ source('retail', 'promotion') }}
    on p_item_sk = item_sk and sold_date_sk between p_start_date_sk and p_end_date_sk
group by channel, item_sk, p_promo_sk
