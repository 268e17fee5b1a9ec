select id from {{ ref('a') }}
