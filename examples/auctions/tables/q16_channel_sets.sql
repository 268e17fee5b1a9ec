-- q16: channels and hours, each alone, together, and over all: grouping sets.
{{ config(refresh_mode='differential') }}
select
    channel, date_trunc('hour', date_time) as hour,
    grouping(channel) as all_channels, grouping(date_trunc('hour', date_time)) as all_hours,
    count(*) as bids, count(distinct bidder) as bidders, max(date_time) as latest, sum(price) as turnover
from {{ source('auctions', 'bid') }}
group by grouping sets ((channel, date_trunc('hour', date_time)), (channel), (date_trunc('hour', date_time)), ())
