-- People on both sides of the hammer, but not of their own auctions: INTERSECT, EXCEPT.
{{ config(refresh_mode='differential') }}
(
    select seller as person from {{ source('auctions', 'auction') }}
    intersect
    select bidder from {{ source('auctions', 'bid') }} where price > 2500
)
except
select b.bidder
from {{ source('auctions', 'bid') }} b join {{ source('auctions', 'auction') }} a on a.id = b.auction and a.seller = b.bidder
