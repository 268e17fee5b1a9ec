{{ config(
    schedule='5m',
    refresh_mode='incremental'
) }}
select id from {{ source('shop', 'orders') }}
