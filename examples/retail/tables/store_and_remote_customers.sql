-- Customers of the stores who also buy remotely, and have sent nothing dear back (q10, q35): EXISTS, OR, NOT EXISTS.
{{ config(refresh_mode='differential') }}
select c_customer_sk, c_name, c_state
from {{ source('retail', 'customer') }} c
where exists (select 1 from {{ source('retail', 'store_sales') }} where ss_customer_sk = c.c_customer_sk and ss_quantity > 3)
  and (
    exists (select 1 from {{ source('retail', 'web_sales') }} where ws_bill_customer_sk = c.c_customer_sk)
    or exists (select 1 from {{ source('retail', 'catalog_sales') }} where cs_bill_customer_sk = c.c_customer_sk and cs_quantity = 5)
  )
  and not exists (select 1 from {{ source('retail', 'store_returns') }} where sr_customer_sk = c.c_customer_sk and sr_return_amt > 70)
