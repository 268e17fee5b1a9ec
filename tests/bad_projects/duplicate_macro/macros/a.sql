{% macro clean() %}1{% endmacro %}
