-- The best products of each category: only categories with changes are ranked again.
{{ config(schedule='15m', tags=['finance']) }}
select category, product_id, revenue, place
from (
    select
        category,
        product_id,
        revenue,
        rank() over (partition by category order by revenue desc) as place
    from (
        select category, product_id, sum(amount) as revenue
        from {{ ref('order_lines') }}
        group by category, product_id
    ) sales
) ranked
where place <= 3
