"""Grouping of weighted rows as Spark SQL.

Counts and sums of exact types are linear in the weight. Other sums and averages are left to Spark over rows repeated by
their weight, so that they round and overflow as they do in a query from scratch. Extremes need no weight at all.
"""

from __future__ import annotations

from sqlglot import exp

from trickle.model.schema import Column
from trickle.query.decimals import as_decimal
from trickle.query.emit.parts import cast, named, one, repeated, table
from trickle.query.operators import Aggregate, column
from trickle.query.types import infer

EXACT_PRECISION = 28
"""The widest decimal whose product with a weight of nine digits is exact."""


def exact_scale(type_: str) -> int | None:
    """The scale of a type whose sums are kept exactly; None for any other type."""
    decimal = as_decimal(type_)
    return decimal.scale if decimal and decimal.precision <= EXACT_PRECISION and decimal.scale >= 0 else None


def linear(node: Aggregate, function: exp.Expr) -> bool:
    """Whether an aggregate of weighted rows is a sum over them, so that negative weights are right too."""
    if isinstance(function, exp.Sum) and isinstance(function.this, exp.Column):
        return exact_scale(infer(function.this, node.input.columns)) is not None
    return isinstance(function, exp.Count) and isinstance(function.this, exp.Column | exp.Star)


def _weightless(node: Aggregate, function: exp.Expr) -> bool:
    """Whether the weights, all positive, make no difference or are taken into account."""
    return isinstance(function, exp.Min | exp.Max) or linear(node, function)


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
    value = cast(function.this, f"decimal({EXACT_PRECISION},{scale})")
    total = exp.Sum(this=exp.Mul(this=value, expression=cast(column(weight), "decimal(9,0)")))
    return total if target.type == f"decimal(38,{scale})" else cast(total, target.type)


def aggregate(node: Aggregate, source: str, weight: str) -> exp.Select:
    """A SELECT with GROUP BY over the input, a subquery of that name; each result row weighs 1."""
    whole = all(_weightless(node, f) for _, f in node.aggregates)
    keys = [named(e.copy(), c.name) for c, e in node.keys]
    values = [named(_weighted(node, c, f, weight) if whole else f.copy(), c.name) for c, f in node.aggregates]
    rows = table(source) if whole else repeated(node.input.columns, source, weight)
    query = exp.select(*keys, *values, one(weight)).from_(rows)
    return query.group_by(*(e.copy() for _, e in node.keys)) if node.keys else query
