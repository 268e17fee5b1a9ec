-- Every line of an order that was not cancelled, with its customer and product: three joins, a filter.
{{ config(refresh_mode='differential', tags=['core']) }}
select
    i.order_id,
    i.line,
    o.ordered_at,
    o.status,
    c.id as customer_id,
    c.region,
    p.id as product_id,
    p.category,
    i.quantity,
    i.amount
from {{ source('shop', 'order_items') }} i
join {{ source('shop', 'orders') }} o on o.id = i.order_id
join {{ source('shop', 'customers') }} c on c.id = o.customer_id
join {{ source('shop', 'products') }} p on p.id = i.product_id
where {{ is_live('o.status') }}
