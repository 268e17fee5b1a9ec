-- q19: the three best bids of every auction: top-k per key with QUALIFY.
{{ config(refresh_mode='differential') }}
select auction, bidder, price, date_time
from {{ source('auctions', 'bid') }}
qualify row_number() over (partition by auction order by price desc, date_time, bidder) <= 3
