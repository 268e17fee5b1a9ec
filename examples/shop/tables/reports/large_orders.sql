-- Orders worth more than a threshold: groups enter and leave as their sum crosses it.
{{ config(tags=['finance']) }}
select
    order_id,
    customer_id,
    sum(amount) as total
from {{ ref('order_lines') }}
group by order_id, customer_id
having sum(amount) > {{ var('large_order') }}
