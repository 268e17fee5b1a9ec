select id from {{ ref('b') }}
