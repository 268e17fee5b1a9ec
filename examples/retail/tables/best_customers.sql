-- The ten best customers over all channels, and those after them: top-k with an offset.
{{ config(refresh_mode='differential') }}
select customer_sk, count(*) as lines, sum(amount) as amount, max(sales_price) as dearest
from {{ ref('sales') }}
where customer_sk is not null
group by customer_sk
order by sum(amount) desc, customer_sk
limit 10 offset 2
