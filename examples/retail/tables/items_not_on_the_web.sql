-- Items the web never sold. While one web line has lost its item nobody can tell, and the table is empty: NOT IN.
{{ config(refresh_mode='differential') }}
select i_item_sk, i_item_id
from {{ source('retail', 'item') }}
where i_item_sk not in (select ws_item_sk from {{ source('retail', 'web_sales') }})
  and i_item_sk in (select ss_item_sk from {{ source('retail', 'store_sales') }})
