-- q9: the winning bid of every auction, if any came in time; the earlier of equal ones wins.
{{ config(refresh_mode='differential') }}
select id, item_name, seller, bidder, price, bid_at
from (
    select
        a.id, a.item_name, a.seller, b.bidder, b.price, b.date_time as bid_at,
        row_number() over (partition by a.id order by b.price desc, b.date_time, b.bidder) as place
    from {{ source('auctions', 'auction') }} a
    left join {{ source('auctions', 'bid') }} b on b.auction = a.id and b.date_time between a.date_time and a.expires
) ranked
where place = 1
