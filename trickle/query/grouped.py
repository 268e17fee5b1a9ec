"""Which SELECTs group their rows."""

from __future__ import annotations

from sqlglot import exp

from trickle.query.functions import is_aggregate


def is_aggregated(select: exp.Select) -> bool:
    """Whether a SELECT groups its rows."""
    if select.args.get("group") or select.args.get("having"):
        return True
    clauses = [*select.selects, *(select.args[k] for k in ("qualify", "order") if select.args.get(k))]
    return any(
        is_aggregate(node) and not isinstance(node.parent, exp.Window) and not _over_window(node)
        for expression in clauses
        for node in expression.walk(prune=lambda n: isinstance(n, exp.Query))
    )


def _over_window(node: exp.Expr) -> bool:
    """Whether a function is the one of an OVER clause, through IGNORE NULLS or FILTER."""
    parent = node.parent
    while isinstance(parent, exp.IgnoreNulls | exp.RespectNulls | exp.Filter):
        node, parent = parent, parent.parent
    return isinstance(parent, exp.Window) and parent.this is node
