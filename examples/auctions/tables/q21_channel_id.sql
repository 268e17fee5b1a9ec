-- q21: bids with the number of their channel, known or read from the address.
{{ config(refresh_mode='differential') }}
select
    auction, bidder, price, channel,
    case lower(channel)
        when 'apple' then '0'
        when 'google' then '1'
        when 'facebook' then '2'
        when 'baidu' then '3'
        else regexp_extract(url, '(&|^)channel_id=([^&]*)', 2)
    end as channel_id
from {{ source('auctions', 'bid') }}
where url is not null and (channel is null or channel <> 'channel-3')
