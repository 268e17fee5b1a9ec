"""GROUP BY ALL: the outputs without an aggregate. ORDER BY ALL: the outputs from left to right.

SELECT k + 1 AS a, sum(x) AS s FROM t GROUP BY ALL ORDER BY ALL
SELECT k + 1 AS a, sum(x) AS s FROM t GROUP BY k + 1 ORDER BY a, s
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.optimizer.scope import walk_in_scope

from trickle.query.rewrite.sight import Sight


def write_out_all(query: exp.Query, sight: Sight) -> None:
    """Say which expressions a SELECT groups and orders by."""
    if not isinstance(query, exp.Select):
        return
    group = query.args.get("group")
    if group is not None and group.args.get("all") and not group.expressions:
        keys = _keys(query, sight)
        query.set("group", exp.Group(expressions=keys) if keys else None)
    order = query.args.get("order")
    if order is not None and _is_all(order):
        first = order.expressions[0]
        columns = [exp.column(item.alias_or_name, quoted=True) for item in query.selects]
        order.set("expressions", [_like(first, column) for column in columns])


def _keys(select: exp.Select, sight: Sight) -> list[exp.Expr]:
    keys = [item.unalias().copy() for item in select.selects if not _computed_from_groups(item, sight)]
    varying = [key for key in keys if key.find(exp.Column) is not None]
    # a constant adds no group, but it makes no rows give no group; a bare number would be a position
    return varying or [exp.cast(key, "int") if key.is_int else key for key in keys]


def _computed_from_groups(item: exp.Expr, sight: Sight) -> bool:
    """Whether an output has an aggregate or a window in it."""
    nodes = list(walk_in_scope(item))
    if any(isinstance(n, exp.Window) for n in nodes):
        return True
    aggregated = any(isinstance(n, exp.AggFunc) for n in nodes)
    if aggregated and any(isinstance(n, exp.Column) and n.find_ancestor(exp.AggFunc) is None for n in nodes):
        sight.fail("GROUP BY ALL over an output that mixes columns and aggregates", item, "name the columns")
    return aggregated


def _is_all(order: exp.Order) -> bool:
    if len(order.expressions) != 1:
        return False
    key = order.expressions[0].this
    return isinstance(key, exp.Var | exp.Column) and not key.text("table") and key.name.lower() == "all"


def _like(ordered: exp.Expr, column: exp.Expr) -> exp.Expr:
    copied = ordered.copy()
    copied.set("this", column)
    return copied
