{% macro clean() %}
select id from {{ ref('goood') }}
{% endmacro %}
