delete from {{ source('shop', 'orders') }}
