-- q14: a little arithmetic, and the time of day in words.
{{ config(refresh_mode='differential') }}
select
    auction, bidder, price * 0.908 as euros,
    case
        when extract(hour from date_time) between 8 and 18 then 'day'
        when extract(hour from date_time) <= 6 or extract(hour from date_time) >= 20 then 'night'
        else 'other'
    end as time_of_day,
    length(extra) - length(replace(extra, 'c', '')) as c_counts
from {{ source('auctions', 'bid') }}
where price * 0.908 > 1000 and price * 0.908 < 2500
