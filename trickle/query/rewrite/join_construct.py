"""Joins in parentheses under an alias: a subquery.

SELECT j.k FROM (a JOIN b USING (k)) AS j
SELECT j.k FROM (SELECT * FROM a JOIN b USING (k)) AS j
"""

from __future__ import annotations

from sqlglot import exp


def select_from_joins(ast: exp.Query) -> exp.Query:
    """Give every aliased join construct of a query a SELECT of its own."""
    for node in list(ast.find_all(exp.Subquery)):
        if not node.args.get("alias") or not isinstance(node.this, exp.Table | exp.Subquery):
            continue
        source = node.this
        joins = source.args.get("joins")
        if joins:
            source.set("joins", None)
            select = exp.select("*").from_(source.copy())
            select.set("joins", joins)
            node.set("this", select)
    return ast
