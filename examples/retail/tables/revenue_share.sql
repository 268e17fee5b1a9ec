-- What part of its category's revenue an item brings in (q12, q20, q98).
{{ config(refresh_mode='differential') }}
select
    i_item_id,
    i_category_sk,
    sum(amount) as revenue,
    cast(sum(amount) * 100 / sum(sum(amount)) over (partition by i_category_sk) as decimal(9,3)) as share
from {{ ref('sales') }}
join {{ source('retail', 'item') }} on i_item_sk = item_sk
group by i_item_id, i_category_sk
having sum(amount) > 0
