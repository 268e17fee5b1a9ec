-- q13: bids with the name of the category, where it is known.
{{ config(refresh_mode='differential') }}
select b.auction, b.bidder, b.price, c.name as category
from {{ source('auctions', 'bid') }} b
join {{ source('auctions', 'auction') }} a on a.id = b.auction
left join {{ source('auctions', 'category') }} c on c.id = a.category
