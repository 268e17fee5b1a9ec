-- q6: what a seller's last four sold auctions brought on average, after each of them: a frame of rows.
{{ config(refresh_mode='differential') }}
with won as (
    select a.id, a.seller, a.expires, max(b.price) as final
    from {{ source('auctions', 'auction') }} a
    join {{ source('auctions', 'bid') }} b on b.auction = a.id and b.date_time >= a.date_time and b.date_time <= a.expires
    where a.reserve is null or b.price >= a.reserve
    group by a.id, a.seller, a.expires
)
select
    seller, id, final,
    cast(avg(final) over (partition by seller order by expires, id rows between 3 preceding and current row) as decimal(12,3)) as average_price,
    first_value(final) over (partition by seller order by expires, id) as first_price
from won
