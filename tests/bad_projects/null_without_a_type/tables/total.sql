select
  id,
  null as nothing
from {{ source('shop', 'orders') }}
