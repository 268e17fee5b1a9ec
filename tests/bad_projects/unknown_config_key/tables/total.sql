{{ config(refresh_mod='full') }}
select id from {{ source('shop', 'orders') }}
