select id
from {{ source('shop', 'orders') }}
{% if x %}
where id > 1
{% endfor %}
