-- Every sale of every channel, one below the other; most reports read it.
{{ config(refresh_mode='differential') }}
select
    'store' as channel, ss_sold_date_sk as sold_date_sk, ss_item_sk as item_sk, ss_customer_sk as customer_sk,
    ss_quantity as quantity, ss_sales_price as sales_price, ss_quantity * ss_sales_price as amount, ss_net_profit as profit
from {{ source('retail', 'store_sales') }}
union all
select 'web', ws_sold_date_sk, ws_item_sk, ws_bill_customer_sk, ws_quantity, ws_sales_price, ws_quantity * ws_sales_price, ws_net_profit
from {{ source('retail', 'web_sales') }}
union all
select 'catalog', cs_sold_date_sk, cs_item_sk, cs_bill_customer_sk, cs_quantity, cs_sales_price, cs_quantity * cs_sales_price, cs_net_profit
from {{ source('retail', 'catalog_sales') }}
