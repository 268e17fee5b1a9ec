"""Spark SQL as DuckDB runs it: sqlglot's translation, mended where its rows would not be Spark's.

- a list of nothing is empty in Spark and NULL in DuckDB;
- COLLECT_SET with a FILTER gets two FILTERs from sqlglot;
- totals of no rows are a row in DuckDB and none in Spark, with ROLLUP, CUBE and GROUPING SETS;
- CTEs are computed once, as many as a delta plan may have: DuckDB would write them out at each use;
- GROUPING_ID() names its keys in DuckDB;
- LATERAL VIEW loses its alias (posexplode) or its OUTER.
"""

from __future__ import annotations

from functools import lru_cache

import sqlglot
from sqlglot import exp


def _listed(function: exp.ArrayAgg | exp.ArrayUniqueAgg, condition: exp.Expr | None) -> exp.Expr:
    """All values that are not NULL, or none: an empty list."""
    value = function.this
    distinct = isinstance(function, exp.ArrayUniqueAgg) or isinstance(value, exp.Distinct)
    value = value.expressions[0] if isinstance(value, exp.Distinct) else value
    argument = exp.Distinct(expressions=[value.copy()]) if distinct else value.copy()
    present = exp.Is(this=value.copy(), expression=exp.null()).not_()
    kept = exp.and_(present, condition.copy()) if condition is not None else present
    values = exp.Filter(this=exp.Anonymous(this="list", expressions=[argument]), expression=exp.Where(this=kept))
    return exp.Coalesce(this=values, expressions=[exp.Array()])


def _mended(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Filter) and isinstance(node.this, exp.ArrayAgg | exp.ArrayUniqueAgg):
        return _listed(node.this, node.expression.this)
    plain = isinstance(node, exp.ArrayAgg | exp.ArrayUniqueAgg)
    if plain and not isinstance(node.parent, exp.Filter | exp.Window | exp.WithinGroup):
        return _listed(node, None)
    if isinstance(node, exp.CTE) and not node.find_ancestor(exp.With).args.get("recursive"):
        node.set("materialized", True)
        return node
    if isinstance(node, exp.Select):
        _leave_out_totals_of_nothing(node)
        _name_grouping_keys(node)
        _join_laterals(node)
    return node


def _leave_out_totals_of_nothing(select: exp.Select) -> None:
    group = select.args.get("group")
    if group is not None and group.find(exp.Rollup, exp.Cube, exp.GroupingSets):
        select.having("count(*) > 0", copy=False)


def _name_grouping_keys(select: exp.Select) -> None:
    """GROUPING_ID() without arguments means all keys, which DuckDB wants named."""
    group = select.args.get("group")
    if group is None:
        return
    named = dict.fromkeys(c for c in group.find_all(exp.Column))
    for node in list(select.find_all(exp.GroupingId)):
        if not node.expressions:
            node.set("expressions", [c.copy() for c in named])


def _join_laterals(select: exp.Select) -> None:
    """LATERAL VIEWs become joins with what they generate, after the other joins, in their order."""
    for lateral in select.args.get("laterals") or []:
        rows, side = _generated(lateral), "LEFT" if lateral.args.get("outer") else ""
        alias = exp.TableAlias(this=lateral.args["alias"].this.copy())
        select.append("joins", exp.Join(this=exp.Lateral(this=rows, alias=alias), side=side, on=exp.true()))
    select.set("laterals", None)


def _generated(lateral: exp.Lateral) -> exp.Expr:
    """The rows of one array as a subquery, under the names the view gives them."""
    names = [name.sql("duckdb") for name in lateral.args["alias"].columns]
    generator = lateral.this
    array = generator.this if isinstance(generator, exp.Explode | exp.Posexplode | exp.Inline) else None
    if array is None:
        raise NotImplementedError(f"no rows in DuckDB for {lateral.sql('spark')}")
    values = array.transform(_mended).sql("duckdb")
    if isinstance(generator, exp.Inline):
        text = f"SELECT * FROM (SELECT UNNEST({values}, max_depth := 2)) AS u({', '.join(names)})"
    elif isinstance(generator, exp.Posexplode):
        text = f"SELECT i - 1 AS {names[0]}, v AS {names[1]} FROM UNNEST({values}) WITH ORDINALITY AS u(v, i)"
    else:
        text = f"SELECT v AS {names[0]} FROM UNNEST({values}) AS u(v)"
    return exp.Subquery(this=sqlglot.parse_one(text, read="duckdb"))


@lru_cache(maxsize=512)
def in_duckdb(sql: str) -> str:
    """The statement for DuckDB."""
    return sqlglot.parse_one(sql, read="spark").transform(_mended, copy=False).sql("duckdb")
