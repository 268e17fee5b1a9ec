select id
from {{ source('shp', 'orders') }}
