select id, amount from {{ source('shop', 'orders') }}
