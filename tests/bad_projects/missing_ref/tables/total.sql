select sum(amount) as total
from {{ ref('god') }}
