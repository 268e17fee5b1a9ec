"""IN and NOT IN (subquery) anywhere but as a condition of its own: EXISTS, with SQL's rules for NULL.

    SELECT x IN (SELECT v FROM s) AS found FROM t
    SELECT CASE WHEN EXISTS(SELECT 1 FROM s WHERE x = v) THEN TRUE
                WHEN EXISTS(SELECT 1 FROM s WHERE v IS NULL) OR (x IS NULL AND EXISTS(SELECT 1 FROM s)) THEN NULL
                ELSE FALSE END AS found FROM t

As a condition of its own in WHERE, HAVING or ON it stays, and becomes a semi or anti join.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.optimizer.scope import find_in_scope, walk_in_scope

from trickle.query.rewrite.sight import Sight
from trickle.query.rewrite.three_valued import AnyComparison, Position, position


def find_members(query: exp.Query, sight: Sight) -> None:
    """Rewrite the INs of one SELECT."""
    if not isinstance(query, exp.Select):
        return
    for node in [n for n in walk_in_scope(query) if isinstance(n, exp.In) and n.args.get("query")]:
        values = node.this.expressions if isinstance(node.this, exp.Tuple) else [node.this]
        if any(find_in_scope(value, exp.AggFunc, exp.Window) for value in values):
            continue
        inner = node.args["query"].unnest()
        if len(inner.named_selects) != len(values):
            sight.fail(f"IN compares {len(values)} values with {len(inner.named_selects)} columns", node)
        _rewrite(node, AnyComparison(tuple(values), exp.EQ, inner))


def _rewrite(node: exp.In, comparison: AnyComparison) -> None:
    negation = enclosing_not(node)
    where = position(negation or node)
    if where is Position.CONJUNCT:
        if negation is not None:
            negation.set("this", node.copy())
        return
    replace(node, negation, where, comparison)


def enclosing_not(node: exp.Expr) -> exp.Not | None:
    """The NOT that a condition stands right under."""
    parent = node.parent
    while isinstance(parent, exp.Paren):
        parent = parent.parent
    return parent if isinstance(parent, exp.Not) else None


def replace(node: exp.Expr, negation: exp.Not | None, where: Position, comparison: AnyComparison) -> None:
    """Put EXISTS in the place of a comparison, and of the NOT above it."""
    if where is Position.VALUE:
        node.replace(comparison.value())
    elif negation is not None:
        negation.replace(exp.Not(this=_in_parens(comparison.not_false())))
    else:
        node.replace(comparison.true())


def _in_parens(condition: exp.Expr) -> exp.Expr:
    return exp.paren(condition) if isinstance(condition, exp.Connector) else condition
