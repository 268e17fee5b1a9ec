{{ config(refresh_mode='immediate') }}
select id from {{ source('shop', 'orders') }}
