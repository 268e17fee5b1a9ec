-- Store lines of an item and customer that no web or catalog line balances, counted (q87): EXCEPT ALL, then EXCEPT.
{{ config(refresh_mode='differential') }}
(
    select ss_customer_sk as customer_sk, ss_item_sk as item_sk from {{ source('retail', 'store_sales') }}
    except all
    select ws_bill_customer_sk, ws_item_sk from {{ source('retail', 'web_sales') }}
)
except all
(
    select cs_bill_customer_sk, cs_item_sk from {{ source('retail', 'catalog_sales') }}
    except
    select sr_customer_sk, sr_item_sk from {{ source('retail', 'store_returns') }}
)
