-- q5: the auctions with most bids in each ten minutes, anew every five: a sliding window, and a CTE read twice.
{{ config(refresh_mode='differential') }}
with windowed as (
    select auction, opens, count(*) as bids
    from (
        select auction, date_trunc('hour', date_time) + interval '5' minute * floor(minute(date_time) / 5) as step
        from {{ source('auctions', 'bid') }}
    ) stepped
    lateral view explode(array(step, step - interval '5' minute)) slid as opens
    group by auction, opens
)
select w.opens, w.auction, w.bids
from windowed w
join (select opens, max(bids) as most from windowed group by opens) top on top.opens = w.opens and top.most = w.bids
