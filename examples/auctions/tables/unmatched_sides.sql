-- People without auctions, and auctions without a known seller: a full join, one side of it grouped.
{{ config(refresh_mode='differential') }}
select p.id as person, p.name, a.seller, a.auctions, a.reserve
from {{ source('auctions', 'person') }} p
full join (
    select seller, count(*) as auctions, sum(reserve) as reserve from {{ source('auctions', 'auction') }} group by seller
) a on a.seller = p.id
where p.id is null or a.auctions is null or a.auctions > 2
