-- q8: people who opened an auction within half an hour of their arrival.
{{ config(refresh_mode='differential') }}
select p.id, p.name, min(a.date_time) as first_opened, count(*) as auctions
from {{ source('auctions', 'person') }} p
join {{ source('auctions', 'auction') }} a
    on a.seller = p.id and a.date_time >= p.date_time and a.date_time < p.date_time + interval '30' minute
group by p.id, p.name
