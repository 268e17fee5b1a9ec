-- Bids above every earlier bid of their auction by more than half its average: correlated subqueries, one of them ALL.
{{ config(refresh_mode='differential') }}
select b.auction, b.bidder, b.price, b.date_time
from {{ source('auctions', 'bid') }} b
where b.price > (select 1.5 * avg(o.price) from {{ source('auctions', 'bid') }} o where o.auction = b.auction)
  and b.price > all (select o.price from {{ source('auctions', 'bid') }} o where o.auction = b.auction and o.date_time < b.date_time)
