select id, statu
from {{ ref('good') }}
