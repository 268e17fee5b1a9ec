-- q3: who sells what in three states.
{{ config(refresh_mode='differential') }}
select p.name, p.city, p.state, a.id
from {{ source('auctions', 'auction') }} a
join {{ source('auctions', 'person') }} p on p.id = a.seller
where p.state in ('OR', 'ID', 'CA') and a.category = 10
