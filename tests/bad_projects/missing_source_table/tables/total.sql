select o.id
from {{ source('shop', 'customers') }} c
join {{ source('shop', 'order') }} o on o.id = c.id
