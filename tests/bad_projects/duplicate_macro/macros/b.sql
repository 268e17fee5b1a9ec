{% macro clean() %}2{% endmacro %}
