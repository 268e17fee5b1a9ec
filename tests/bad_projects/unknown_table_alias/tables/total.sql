select x.id
from {{ source('shop', 'orders') }} o
