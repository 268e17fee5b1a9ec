-- q12: how many bids a bidder made in each quarter of an hour.
{{ config(refresh_mode='differential') }}
select bidder, timestamp_seconds(unix_seconds(date_time) div 900 * 900) as opens, count(*) as bids
from {{ source('auctions', 'bid') }}
group by bidder, timestamp_seconds(unix_seconds(date_time) div 900 * 900)
