select id
from {{ source('shop', 'orders') }}
where amount > {{ var('treshold') }}
