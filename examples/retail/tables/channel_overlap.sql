-- How many customer and item pairs only the stores, only the catalog, or both have seen (q97): a full join of distinct pairs.
{{ config(refresh_mode='differential') }}
with stores as (
    select distinct ss_customer_sk as customer_sk, ss_item_sk as item_sk from {{ source('retail', 'store_sales') }}
),
catalog as (
    select distinct cs_bill_customer_sk as customer_sk, cs_item_sk as item_sk from {{ source('retail', 'catalog_sales') }}
)
select
    sum(case when catalog.customer_sk is null then 1 else 0 end) as only_stores,
    sum(case when stores.customer_sk is null then 1 else 0 end) as only_catalog,
    sum(case when stores.customer_sk is not null and catalog.customer_sk is not null then 1 else 0 end) as both
from stores full join catalog on catalog.customer_sk = stores.customer_sk and catalog.item_sk = stores.item_sk
