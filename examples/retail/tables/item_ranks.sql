-- The best brands and items of each category, ranked together with their subtotals (q67).
{{ config(refresh_mode='differential') }}
select category_sk, brand, item_id, total, place
from (
    select
        category_sk, brand, item_id, total,
        rank() over (partition by category_sk order by total desc, brand nulls first, item_id nulls first) as place
    from (
        select i_category_sk as category_sk, i_brand as brand, i_item_id as item_id, sum(coalesce(amount, 0)) as total
        from {{ ref('sales') }}
        join {{ source('retail', 'item') }} on i_item_sk = item_sk
        group by grouping sets ((i_category_sk, i_brand, i_item_id), (i_category_sk, i_brand), (i_category_sk), ())
    ) subtotals
) ranked
where place <= 3
