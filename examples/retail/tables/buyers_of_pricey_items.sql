-- States where items well above their category's average price are bought (q6): a correlated average.
{{ config(refresh_mode='differential') }}
select c_state, count(*) as lines, count(distinct i.i_item_sk) as items
from {{ ref('sales') }}
join {{ source('retail', 'customer') }} on c_customer_sk = customer_sk
join {{ source('retail', 'item') }} i on i.i_item_sk = item_sk
where i.i_current_price > (
    select 1.2 * avg(other.i_current_price)
    from {{ source('retail', 'item') }} other
    where other.i_category_sk = i.i_category_sk
)
group by c_state
having count(*) >= 5
