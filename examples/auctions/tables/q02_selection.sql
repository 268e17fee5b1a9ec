-- q2: bids on chosen auctions.
{{ config(refresh_mode='differential') }}
select auction, price
from {{ source('auctions', 'bid') }}
where auction % 23 = 0 or auction in (7, 20, 2001)
