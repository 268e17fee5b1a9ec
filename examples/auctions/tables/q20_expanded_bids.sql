-- q20: bids on auctions of one category, with all that is known of the auction.
{{ config(refresh_mode='differential') }}
select
    b.auction, b.bidder, b.price, b.date_time as bid_at, a.item_name, a.initial_bid, a.reserve, a.expires, a.seller,
    b.price >= a.reserve as meets_reserve
from {{ source('auctions', 'bid') }} b
join {{ source('auctions', 'auction') }} a on a.id = b.auction
where a.category = 10
