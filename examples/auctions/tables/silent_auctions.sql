-- Auctions nobody bid on in time, and sellers who never bid themselves: NOT EXISTS, NOT IN, UNION.
{{ config(refresh_mode='differential') }}
select 'auction' as kind, a.id
from {{ source('auctions', 'auction') }} a
where not exists (select 1 from {{ source('auctions', 'bid') }} b where b.auction = a.id and b.date_time between a.date_time and a.expires)
union
select 'seller', a.seller
from {{ source('auctions', 'auction') }} a
where a.seller not in (select bidder from {{ source('auctions', 'bid') }} where bidder is not null and price > 1500)
