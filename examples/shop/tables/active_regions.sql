-- The regions and categories something was sold in, each once.
select distinct region, category
from {{ ref('order_lines') }}
where region is not null
