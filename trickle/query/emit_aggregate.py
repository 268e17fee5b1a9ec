"""Grouping of weighted rows as Spark SQL.

Counts and sums of exact types are linear in the weight. Other sums and averages are left to Spark over rows repeated by
their weight, so that they round and overflow as they do in a query from scratch. Extremes need no weight at all.
"""

from __future__ import annotations

from sqlglot import exp

from trickle.model.schema import Column
from trickle.query.decimals import as_decimal
from trickle.query.operators import Aggregate, column
from trickle.query.types import infer

EXACT_PRECISION = 28
"""The widest decimal whose product with a weight of nine digits is exact."""


def exact_scale(type_: str) -> int | None:
    """The scale of a type whose sums are kept exactly; None for any other type."""
    decimal = as_decimal(type_)
    return decimal.scale if decimal and decimal.precision <= EXACT_PRECISION and decimal.scale >= 0 else None


def _cast(expression: exp.Expr, type_: str) -> exp.Expr:
    return exp.cast(expression, type_, dialect="spark")


def _as(expression: exp.Expr, name: str) -> exp.Alias:
    return exp.Alias(this=expression, alias=exp.to_identifier(name, quoted=True))


def _linear(node: Aggregate, function: exp.Expr) -> bool:
    if isinstance(function, exp.Sum):
        return exact_scale(infer(function.this, node.input.columns)) is not None
    return not isinstance(function, exp.Avg)


def _count(function: exp.Expr, weight: exp.Expr) -> exp.Expr:
    counted: exp.Expr = weight
    if not isinstance(function.this, exp.Star):
        missing = exp.Is(this=function.this.copy(), expression=exp.null())
        counted = exp.If(this=missing, true=exp.Literal.number(0), false=weight)
    return exp.Coalesce(this=exp.Sum(this=counted), expressions=[exp.Literal.number(0)])


def _weighted(node: Aggregate, target: Column, function: exp.Expr, weight: str) -> exp.Expr:
    if isinstance(function, exp.Count):
        return _count(function, column(weight))
    if not isinstance(function, exp.Sum):
        return function.copy()
    scale = exact_scale(infer(function.this, node.input.columns))
    value = _cast(function.this, f"decimal({EXACT_PRECISION},{scale})")
    total = exp.Sum(this=exp.Mul(this=value, expression=_cast(column(weight), "decimal(9,0)")))
    return total if target.type == f"decimal(38,{scale})" else _cast(total, target.type)


def _repeated(node: Aggregate, source: exp.Expr, weight: str) -> exp.Expr:
    """Each row as often as it weighs."""
    times = exp.Anonymous(this="array_repeat", expressions=[exp.Literal.number(0), _cast(column(weight), "int")])
    kept = [column(c.name) for c in node.input.columns]
    copies = exp.select(*kept, _as(exp.Explode(this=times), weight)).from_(source)
    return copies.subquery(exp.to_identifier("repeated", quoted=True))


def aggregate(node: Aggregate, source: exp.Expr, weight: str) -> exp.Select:
    """A SELECT with GROUP BY over the input, which `source` names; each result row weighs 1."""
    linear = all(_linear(node, f) for _, f in node.aggregates)
    keys = [_as(e.copy(), c.name) for c, e in node.keys]
    values = [_as(_weighted(node, c, f, weight) if linear else f.copy(), c.name) for c, f in node.aggregates]
    one = _as(_cast(exp.Literal.number(1), "bigint"), weight)
    query = exp.select(*keys, *values, one).from_(source if linear else _repeated(node, source, weight))
    return query.group_by(*(e.copy() for _, e in node.keys)) if node.keys else query
