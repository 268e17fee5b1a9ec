-- What a tag is worth: prices of the auctions that carry it, by category in columns: explode and PIVOT.
{{ config(refresh_mode='differential') }}
select *
from (
    select tag, a.category, b.price
    from (
        select id, category, tag from {{ source('auctions', 'auction') }} lateral view outer explode(tags) tagged as tag
    ) a
    join {{ source('auctions', 'bid') }} b on b.auction = a.id
)
pivot (count(price) as bids, max(price) as highest for category in (10 as art, 12 as coins, 15 as other))
