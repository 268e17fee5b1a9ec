{{ config(schema='shop') }}
select id from {{ source('shop', 'customers') }}
