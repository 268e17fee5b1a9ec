select id, 'open as status
from {{ source('shop', 'orders') }}
