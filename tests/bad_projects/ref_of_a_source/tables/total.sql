select region
from {{ ref('customers') }}
