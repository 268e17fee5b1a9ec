-- Everyone a person brought along, directly or through others, and what those people bid: a recursive CTE.
{{ config(refresh_mode='differential') }}
with recursive brought as (
    select id as root, id as person, 0 as steps
    from {{ source('auctions', 'person') }}
    where referred_by is null
    union all
    select brought.root, p.id, brought.steps + 1
    from brought join {{ source('auctions', 'person') }} p on p.referred_by = brought.person
)
select brought.root, count(distinct brought.person) as people, max(brought.steps) as steps, count(b.price) as bids, sum(b.price) as total
from brought
left join {{ source('auctions', 'bid') }} b on b.bidder = brought.person
group by brought.root
