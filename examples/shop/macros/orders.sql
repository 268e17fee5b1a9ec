{% macro is_live(status) -%}
{{ status }} <> 'cancelled'
{%- endmacro %}
