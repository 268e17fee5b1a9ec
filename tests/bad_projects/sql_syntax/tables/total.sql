select id,
from {{ source('shop', 'orders') }}
where where id = 1
