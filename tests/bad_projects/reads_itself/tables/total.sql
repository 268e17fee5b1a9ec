select id from {{ ref('total') }}
