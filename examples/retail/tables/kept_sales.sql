-- What customers kept after their returns (q93): a left join that returns come to and leave.
{{ config(refresh_mode='differential') }}
select
    ss_customer_sk,
    sum(case when sr_return_quantity is not null then ss_quantity - sr_return_quantity else ss_quantity end * ss_sales_price) as kept,
    count(sr_ticket_number) as returns
from {{ source('retail', 'store_sales') }}
left join {{ source('retail', 'store_returns') }} on sr_ticket_number = ss_ticket_number and sr_item_sk = ss_item_sk
group by ss_customer_sk
