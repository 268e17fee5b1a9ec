-- Sales by channel, year and quarter, with all subtotals (q5, q77).
{{ config(refresh_mode='differential') }}
select
    channel,
    d_year,
    d_qoy,
    grouping(channel) as all_channels,
    grouping(d_qoy) as all_quarters,
    count(*) as lines,
    sum(amount) as amount,
    sum(profit) as profit
from {{ ref('sales') }}
left join {{ source('retail', 'date_dim') }} on d_date_sk = sold_date_sk
group by rollup (channel, d_year, d_qoy)
