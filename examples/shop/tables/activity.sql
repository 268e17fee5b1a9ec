-- What happened when: sign-ups and orders, one below the other.
select id as customer_id, 'signed up' as event, created_at as happened_at
from {{ source('shop', 'customers') }}
union all
select customer_id, 'ordered' as event, ordered_at as happened_at
from {{ source('shop', 'orders') }}
where {{ is_live('status') }}
