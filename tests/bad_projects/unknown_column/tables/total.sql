select id,
       amuont
from {{ source('shop', 'orders') }}
