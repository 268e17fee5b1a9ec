select id
from {{ source('orders') }}
