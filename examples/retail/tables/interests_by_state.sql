-- How many customers of a state share an interest, and what they spend: LATERAL VIEW explode.
{{ config(refresh_mode='differential') }}
with spent as (
    select customer_sk, sum(amount) as amount from {{ ref('sales') }} group by customer_sk
)
select c_state, interest, count(*) as customers, sum(amount) as amount
from (
    select c_customer_sk, c_state, interest
    from {{ source('retail', 'customer') }} lateral view explode(c_interests) interests as interest
) interested
left join spent on spent.customer_sk = interested.c_customer_sk
group by c_state, interest
