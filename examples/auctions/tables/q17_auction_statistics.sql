-- q17: statistics of an auction's bids, day by day.
{{ config(refresh_mode='differential') }}
select
    auction, date_trunc('day', date_time) as day,
    count(*) as bids, count(*) filter (where price >= 3000) as dear_bids,
    min(price) as lowest, max(price) as highest, cast(avg(price) as decimal(12,3)) as average, sum(price) as total
from {{ source('auctions', 'bid') }}
group by auction, date_trunc('day', date_time)
