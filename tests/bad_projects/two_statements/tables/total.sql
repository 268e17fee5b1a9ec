select id from {{ source('shop', 'orders') }};
select id from {{ source('shop', 'customers') }};
