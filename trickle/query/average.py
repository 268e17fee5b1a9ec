"""The mean of exact numbers from their exact sum and their count: one rounding, the same in every plan.

Spark adds integers up as doubles, in an order that changes from run to run. Both a query from scratch and a delta use
the form below instead, which has Spark's result type.
"""

from __future__ import annotations

from sqlglot import exp

from trickle.query.decimals import Decimal, averaged, parse_decimal
from trickle.query.types import INTEGERS

_WIDEST = Decimal(24, 12)
"""Beyond these digits the quotient's guard digits run out, and Spark's own AVG stays."""


def summand_type(type_: str) -> str:
    """The type to add up values of `type_` in; empty when the mean is left to Spark."""
    decimal = parse_decimal(type_)
    if decimal and decimal.precision <= _WIDEST.precision and 0 <= decimal.scale <= _WIDEST.scale:
        return f"decimal(28,{decimal.scale})"
    return "decimal(28,0)" if type_ in INTEGERS else ""


def _cast(expression: exp.Expr, type_: object) -> exp.Expr:
    return exp.cast(expression, str(type_), dialect="spark")


def _divide(left: exp.Expr, right: exp.Expr) -> exp.Expr:
    return exp.Div(this=left.copy(), expression=right.copy(), typed=False, safe=False)


def _decimal_mean(total: exp.Expr, count: exp.Expr, type_: Decimal) -> exp.Expr:
    """Whole quotient plus rounded rest: rounds once, half up, where a plain quotient would round twice."""
    target = averaged(type_)
    total, count = _cast(total, Decimal(34, type_.scale)), _cast(count, Decimal(12, 0))
    rest = exp.Mod(this=total.copy(), expression=count.copy())
    whole = _divide(exp.paren(exp.Sub(this=total.copy(), expression=exp.paren(rest.copy()))), count)
    whole = _cast(whole, Decimal(max(type_.precision - type_.scale, 1), 0))
    fraction = _cast(_divide(exp.paren(rest), count), Decimal(type_.scale + 5, type_.scale + 4))
    return _cast(exp.Add(this=whole, expression=fraction), target)


def exact_mean(total: exp.Expr, count: exp.Expr, type_: str) -> exp.Expr:
    """AVG of values of `type_`, whose sum and number of non-NULL values are given."""
    decimal = parse_decimal(type_)
    mean = _decimal_mean(total, count, decimal) if decimal else _divide(_cast(total, "double"), _cast(count, "double"))
    none = exp.EQ(this=count.copy(), expression=exp.Literal.number(0))
    return exp.If(this=none, true=exp.null(), false=mean)
