-- Customers who bought in all three channels in one year (q38): INTERSECT.
{{ config(refresh_mode='differential') }}
select ss_customer_sk as customer_sk, d_year
from {{ source('retail', 'store_sales') }} join {{ source('retail', 'date_dim') }} on ss_sold_date_sk = d_date_sk
intersect
select ws_bill_customer_sk, d_year
from {{ source('retail', 'web_sales') }} join {{ source('retail', 'date_dim') }} on ws_sold_date_sk = d_date_sk
intersect
select cs_bill_customer_sk, d_year
from {{ source('retail', 'catalog_sales') }} join {{ source('retail', 'date_dim') }} on cs_sold_date_sk = d_date_sk
