select id, status from {{ source('shop', 'orders') }}
union all
select id from {{ source('shop', 'customers') }}
