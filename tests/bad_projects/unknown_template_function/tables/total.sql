select id
from {{ soruce('shop', 'orders') }}
