-- q18: each bidder's last bid on an auction.
{{ config(refresh_mode='differential') }}
select auction, bidder, price, channel, date_time
from (
    select *, row_number() over (partition by bidder, auction order by date_time desc, price desc, channel nulls last) as place
    from {{ source('auctions', 'bid') }}
) ranked
where place = 1
