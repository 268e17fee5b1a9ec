select id
from {{ source('shop', 'orders') }}
where status = '{{ env_var('TRICKLE_UNSET_STATUS') }}'
