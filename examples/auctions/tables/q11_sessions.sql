-- q11: a bidder's sessions, each ended by half an hour of silence: a window over a window.
{{ config(refresh_mode='differential') }}
select bidder, session, count(*) as bids, min(date_time) as began, max(date_time) as ended
from (
    select bidder, date_time, sum(opens) over (partition by bidder order by date_time) as session
    from (
        select
            bidder, date_time,
            case when date_time <= lag(date_time) over (partition by bidder order by date_time) + interval '30' minute then 0 else 1 end as opens
        from {{ source('auctions', 'bid') }}
    ) marked
) numbered
group by bidder, session
