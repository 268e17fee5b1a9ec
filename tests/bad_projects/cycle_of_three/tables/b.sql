select id from {{ ref('c') }}
