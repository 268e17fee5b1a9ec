"""ANY, SOME and ALL over a subquery: IN where they compare for equality, EXISTS otherwise.

    x = ANY (SELECT v FROM s)     x IN (SELECT v FROM s)
    x <> ALL (SELECT v FROM s)    NOT x IN (SELECT v FROM s)
    x > ANY (SELECT v FROM s)     EXISTS(SELECT 1 FROM s WHERE x > v)
    x > ALL (SELECT v FROM s)     NOT EXISTS(SELECT 1 FROM s WHERE x <= v OR x IS NULL OR v IS NULL)

Over an array constructor they are a list.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.optimizer.scope import find_in_scope, walk_in_scope

from trickle.query.rewrite.membership import enclosing_not, replace
from trickle.query.rewrite.sight import Sight
from trickle.query.rewrite.three_valued import AnyComparison, position

_OPPOSITE: dict[type[exp.Expr], type[exp.Binary]] = {
    exp.EQ: exp.NEQ,
    exp.NEQ: exp.EQ,
    exp.LT: exp.GTE,
    exp.GTE: exp.LT,
    exp.GT: exp.LTE,
    exp.LTE: exp.GT,
}


def ask_exists(query: exp.Query, sight: Sight) -> None:
    """Rewrite the quantified comparisons of one SELECT."""
    if not isinstance(query, exp.Select):
        return
    for node in [n for n in walk_in_scope(query) if isinstance(n, exp.Any | exp.All)]:
        comparison = node.parent
        if comparison is None or type(comparison) not in _OPPOSITE or node.arg_key != "expression":
            sight.fail(f"{node.key.upper()} in this place", node, "write EXISTS (select ...)")
        _rewrite(comparison, node, sight)


def _rewrite(comparison: exp.Expr, quantifier: exp.Expr, sight: Sight) -> None:
    values = quantifier.this
    while isinstance(values, exp.Paren | exp.Subquery):
        values = values.this
    # ALL is not ANY of the opposite
    if isinstance(quantifier, exp.All):
        comparison = comparison.replace(exp.Not(this=_opposite(comparison, values))).this
    if isinstance(values, exp.Array) and isinstance(comparison, exp.EQ):
        comparison.replace(exp.In(this=comparison.this.copy(), expressions=[v.copy() for v in values.expressions]))
    elif not isinstance(values, exp.Query):
        sight.fail("ANY or ALL of anything but a subquery", comparison, "write IN (...), or EXISTS (select ...)")
    elif isinstance(comparison, exp.EQ):
        comparison.replace(exp.In(this=comparison.this.copy(), query=exp.Subquery(this=values.copy())))
    else:
        _to_exists(comparison, values, sight)


def _opposite(comparison: exp.Expr, values: exp.Expr) -> exp.Expr:
    return _OPPOSITE[type(comparison)](this=comparison.this.copy(), expression=exp.Any(this=values.copy()))


def _to_exists(comparison: exp.Expr, values: exp.Query, sight: Sight) -> None:
    if find_in_scope(comparison.this, exp.AggFunc, exp.Window):
        sight.fail("ANY or ALL compared with an aggregate", comparison, "compute the aggregate in a subquery first")
    negation = enclosing_not(comparison)
    # of the opposite's opposite, for a type that says it is binary
    operator = _OPPOSITE[_OPPOSITE[type(comparison)]]
    found = AnyComparison((comparison.this,), operator, values)
    replace(comparison, negation, position(negation or comparison), found)
