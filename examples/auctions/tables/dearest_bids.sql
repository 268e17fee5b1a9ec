-- The fifteen dearest bids of all, whoever made them: top-k.
{{ config(refresh_mode='differential') }}
select auction, bidder, price, date_time
from {{ source('auctions', 'bid') }}
order by price desc, date_time, auction, bidder nulls last
limit 15
