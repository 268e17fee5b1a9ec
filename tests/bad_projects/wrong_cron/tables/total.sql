{{ config(schedule='61 * * * *') }}
select id from {{ source('shop', 'orders') }}
