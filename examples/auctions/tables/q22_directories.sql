-- q22: where bids came from, by the first parts of the address.
{{ config(refresh_mode='differential') }}
select split_part(url, '/', 4) as directory_1, split_part(url, '/', 5) as directory_2, count(*) as bids, max(price) as highest
from {{ source('auctions', 'bid') }}
where url is not null
group by split_part(url, '/', 4), split_part(url, '/', 5)
