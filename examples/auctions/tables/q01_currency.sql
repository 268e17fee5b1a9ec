-- q1: every bid with its price in euros.
{{ config(refresh_mode='differential') }}
select auction, bidder, price, price * 0.908 as euros, date_time
from {{ source('auctions', 'bid') }}
