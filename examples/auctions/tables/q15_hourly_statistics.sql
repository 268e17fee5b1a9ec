-- q15: bids, bidders and auctions of each hour, by rank of price: filtered and distinct counts.
{{ config(refresh_mode='differential') }}
select
    date_trunc('hour', date_time) as hour,
    count(*) as bids,
    count(*) filter (where price < 1000) as cheap_bids,
    count(*) filter (where price >= 3000) as dear_bids,
    count(distinct bidder) as bidders,
    count(distinct bidder) filter (where price >= 3000) as dear_bidders,
    count(distinct auction) as auctions,
    count(distinct auction) filter (where price < 1000) as cheap_auctions
from {{ source('auctions', 'bid') }}
group by date_trunc('hour', date_time)
