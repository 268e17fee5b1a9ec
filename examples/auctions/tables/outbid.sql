-- Bids above every earlier bid of their auction, and well above its average: correlated subqueries.
{{ config(refresh_mode='differential') }}
select b.auction, b.bidder, b.price, b.date_time
from {{ source('auctions', 'bid') }} b
where b.price > (select 1.37 * avg(o.price) from {{ source('auctions', 'bid') }} o where o.auction = b.auction)
  and not exists (
    select 1
    from {{ source('auctions', 'bid') }} o
    where o.auction = b.auction and o.date_time < b.date_time and o.price >= b.price
  )
