-- q4: the average winning price of a category; a bid counts between its auction's opening and end.
{{ config(refresh_mode='differential') }}
select category, count(*) as auctions, cast(avg(final) as decimal(12,3)) as average_price, max(final) as highest
from (
    select a.id, a.category, max(b.price) as final
    from {{ source('auctions', 'auction') }} a
    join {{ source('auctions', 'bid') }} b on b.auction = a.id and b.date_time between a.date_time and a.expires
    group by a.id, a.category
) won
group by category
