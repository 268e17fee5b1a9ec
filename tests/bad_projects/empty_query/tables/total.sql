{{ config(schedule='5m') }}
-- later
