"""The constructs the grammar knows by name, and which engine cannot run which of them as Spark would.

What DuckDB runs otherwise is left to Spark:
- `percentile`, `mode`: DuckDB's functions of these names choose other values;
- `row IN subquery`: DuckDB takes a NULL within a row for a value.

Neither gets float sums over windows, correlations, or variances of anything but integers: they are added up in doubles,
which have one answer with `exact_floats` only.

`UNION in a recursive CTE` is left to DuckDB: Spark has UNION ALL there only.
"""

from __future__ import annotations

from enum import StrEnum


class Engine(StrEnum):
    """Who runs the query from scratch, and the delta plan."""

    DUCKDB = "duckdb"
    SPARK = "spark"


JOINS = (
    "INNER JOIN", "CROSS JOIN", "theta join", "range join", "OR join", "null-safe join", "LEFT JOIN", "RIGHT JOIN",
    "FULL JOIN", "SEMI JOIN", "ANTI JOIN", "NATURAL JOIN", "USING", "LATERAL subquery", "LEFT JOIN LATERAL",
    "self join", "comma join",
)  # fmt: skip
SUBQUERIES = (
    "scalar subquery", "correlated scalar subquery", "correlated by inequality", "correlated LIMIT 1",
    "IN subquery", "NOT IN subquery", "correlated IN", "row IN subquery", "EXISTS", "NOT EXISTS", "uncorrelated EXISTS",
    "subquery in SELECT", "subquery in WHERE", "subquery in HAVING", "subquery in CASE", "subquery under OR",
    "subquery under NOT", "subquery in FROM", "ANY", "ALL",
)  # fmt: skip
AGGREGATES = (
    "count(*)", "count", "sum", "avg", "min", "max", "count distinct", "sum distinct", "avg distinct", "var_pop",
    "var_samp", "stddev_pop", "stddev_samp", "bool_and", "bool_or", "bit_and",
    "bit_or", "bit_xor", "count_if", "collect_list", "collect_set", "listagg", "percentile", "mode", "max_by", "min_by",
    "first", "last", "any_value", "approx_count_distinct", "FILTER", "CASE in aggregate", "GROUPING SETS", "CUBE",
    "ROLLUP", "grouping()", "HAVING", "global aggregate", "expression over aggregates", "GROUP BY",
)  # fmt: skip
WINDOWS = (
    "row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead", "first_value",
    "last_value", "nth_value", "window sum", "window count", "window avg", "window min", "window max", "ROWS frame",
    "RANGE frame", "running aggregate", "several PARTITION BY", "window in expression", "QUALIFY",
    "unpartitioned window", "window over aggregate", "named window",
)  # fmt: skip
ROWS = (
    "DISTINCT", "UNION", "UNION ALL", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL", "LIMIT", "OFFSET",
    "LIMIT at the top", "explode", "posexplode", "inline", "LATERAL VIEW OUTER", "VALUES", "CTE", "CTE used twice",
    "nested CTE", "recursive CTE", "UNION in a recursive CTE", "PIVOT", "UNPIVOT",
)  # fmt: skip
CONSTRUCTS = frozenset((*JOINS, *SUBQUERIES, *AGGREGATES, *WINDOWS, *ROWS))

LEFT_OUT = {
    Engine.DUCKDB: frozenset({"percentile", "mode", "row IN subquery"}),
    Engine.SPARK: frozenset({"UNION in a recursive CTE"}),
}
