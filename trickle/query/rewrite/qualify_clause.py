"""QUALIFY: a filter above the windows it looks at.

    SELECT k FROM t QUALIFY row_number() OVER (PARTITION BY k ORDER BY x) = 1
    SELECT k FROM (SELECT k, row_number() OVER (PARTITION BY k ORDER BY x) AS _q1 FROM t) WHERE _q1 = 1
"""

from __future__ import annotations

from sqlglot import exp

from trickle.query.rewrite.enclose import enclose, of_rows
from trickle.query.rewrite.sight import Sight


def filter_windows(query: exp.Query, _sight: Sight) -> None:
    """Compute what QUALIFY looks at as hidden columns, and filter by them."""
    clause = query.args.get("qualify")
    if clause is None or not isinstance(query, exp.Select):
        return
    hidden: dict[str, exp.Expr] = {}
    condition = _over(clause.this.copy(), hidden)
    query.set("qualify", None)
    enclose(query, hidden, condition)


def _over(condition: exp.Expr, hidden: dict[str, exp.Expr]) -> exp.Expr:
    """The condition with hidden columns in place of its windows, aggregates and columns."""
    root = exp.Paren(this=condition)
    stack: list[exp.Expr] = [condition]
    while stack:
        node = stack.pop()
        if isinstance(node, exp.Window | exp.Filter | exp.AggFunc | exp.Column):
            name = next((n for n, value in hidden.items() if value == node), f"_q{len(hidden) + 1}")
            hidden.setdefault(name, node.copy())
            node.replace(of_rows(name))
        else:
            stack += [child for child in node.iter_expressions() if not isinstance(child, exp.Query)]
    return root.this


