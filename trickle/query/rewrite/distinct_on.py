"""DISTINCT ON: the first row of each partition, by the order of the query.

SELECT DISTINCT ON (k) k, x FROM t ORDER BY k, x
SELECT k, x FROM (SELECT k, x, row_number() OVER (PARTITION BY k ORDER BY k, x) AS _n FROM t) WHERE _n = 1
"""

from __future__ import annotations

from sqlglot import exp

from trickle.query.rewrite.enclose import enclose, of_rows, output_value
from trickle.query.rewrite.sight import Sight

_NUMBER = "_n"


def number_distinct_rows(query: exp.Query, _sight: Sight) -> None:
    """Keep the rows that row_number() calls the first."""
    distinct = query.args.get("distinct") if isinstance(query, exp.Select) else None
    on = distinct.args.get("on") if distinct is not None else None
    if not isinstance(query, exp.Select) or on is None:
        return
    keys = [output_value(query, key).copy() for key in _keys(on)]
    order = query.args.get("order")
    ordered = [o.copy() for o in order.expressions] if order is not None else []
    for key in ordered:
        key.set("this", output_value(query, key.this).copy())
    # PostgreSQL leaves the choice open without an order; the canonical form then settles it
    ordered = ordered or [exp.Ordered(this=key.copy(), desc=False, nulls_first=False) for key in keys]
    window = exp.Window(this=exp.RowNumber(), partition_by=keys, order=exp.Order(expressions=ordered), over="OVER")
    query.set("distinct", None)
    enclose(query, {_NUMBER: window}, exp.EQ(this=of_rows(_NUMBER), expression=exp.Literal.number(1)))


def _keys(on: exp.Expr) -> list[exp.Expr]:
    return on.expressions if isinstance(on, exp.Tuple) else [on.unnest()]
