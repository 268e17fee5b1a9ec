-- Revenue of each region; customers without a region form a group of their own.
{{ config(refresh_mode='differential', schedule='5m', tags=['finance']) }}
select
    region,
    count(*) as lines,
    sum(amount) as revenue,
    avg(amount) as average_amount,
    min(amount) as smallest_amount,
    max(amount) as largest_amount
from {{ ref('order_lines') }}
group by region
