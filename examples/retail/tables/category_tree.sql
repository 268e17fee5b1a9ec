-- Every category with all it stands below, and the sales of everything below it: a recursive CTE.
{{ config(refresh_mode='differential') }}
with recursive below as (
    select cat_sk as top_sk, cat_sk, 0 as depth
    from {{ source('retail', 'category') }}
    union all
    select below.top_sk, child.cat_sk, below.depth + 1
    from below join {{ source('retail', 'category') }} child on child.cat_parent_sk = below.cat_sk
)
select
    top.cat_sk, top.cat_name,
    count(distinct below.cat_sk) as categories,
    max(below.depth) as depth,
    count(sold.item_sk) as lines,
    sum(sold.amount) as amount
from below
join {{ source('retail', 'category') }} top on top.cat_sk = below.top_sk
left join {{ source('retail', 'item') }} on i_category_sk = below.cat_sk
left join {{ ref('sales') }} sold on sold.item_sk = i_item_sk
group by top.cat_sk, top.cat_name
