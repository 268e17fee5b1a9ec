-- The three items a store sells most of: QUALIFY.
{{ config(refresh_mode='differential') }}
select ss_store_sk, ss_item_sk, sum(ss_quantity) as quantity
from {{ source('retail', 'store_sales') }}
where ss_quantity is not null
group by ss_store_sk, ss_item_sk
qualify row_number() over (partition by ss_store_sk order by sum(ss_quantity) desc, ss_item_sk) <= 3
