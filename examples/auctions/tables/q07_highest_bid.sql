-- q7: the highest bids of each ten minutes, and everyone who made one.
{{ config(refresh_mode='differential') }}
with stepped as (
    select auction, bidder, price, date_trunc('hour', date_time) + interval '10' minute * floor(extract(minute from date_time) / 10) as opens
    from {{ source('auctions', 'bid') }}
)
select b.opens, b.auction, b.bidder, b.price
from stepped b
join (select opens, max(price) as highest from stepped group by opens) top on top.opens = b.opens and top.highest = b.price
