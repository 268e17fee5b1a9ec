select id
from {{ source('shop', 'orders') }} o
join {{ source('shop', 'customers') }} c on c.id = o.customer_id
