"""Variance of exact numbers from their exact sums: one rounding at the end, the same in every plan.

    n² · var_pop = n · Σx² − (Σx)²

The right side is a whole number of the smallest unit; decimals hold it without loss. Spark's own running formula gives
another last digit for each order of the rows.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from trickle.query.decimals import Decimal, parse_decimal

_INTEGERS = ("tinyint", "smallint", "int")
_WIDEST = 9
"""Decimals of more digits are left to Spark: their squares would not fit beside a count of nine digits."""

Over = Callable[[exp.Expr], exp.Expr]


def _cast(expression: exp.Expr, type_: object) -> exp.Expr:
    return exp.cast(expression, str(type_), dialect="spark")


def _widths(type_: str) -> tuple[Decimal, Decimal, Decimal, Decimal] | None:
    """The types of a value, of its square, of n · Σx² before the product, and of Σx."""
    if type_ in _INTEGERS:
        return Decimal(10, 0), Decimal(20, 0), Decimal(29, 0), Decimal(20, 0)
    decimal = parse_decimal(type_)
    if decimal is None or decimal.precision > _WIDEST or decimal.scale < 0:
        return None
    scale = decimal.scale
    return decimal, Decimal(18, 2 * scale), Decimal(28, 2 * scale), Decimal(18, scale)


def exact_variance(value: exp.Expr, type_: str, over: Over, *, sample: bool) -> exp.Expr | None:
    """VAR_POP or VAR_SAMP of values of `type_`; `over` puts an aggregate over the window it stands in."""
    widths = _widths(type_)
    if widths is None:
        return None
    own, square, squares, total = widths
    argument = _cast(value, own)
    count = over(exp.Count(this=argument.copy()))
    summed = _cast(over(exp.Sum(this=argument.copy())), total)
    product = _cast(exp.Mul(this=argument.copy(), expression=argument.copy()), square)
    of_squares = _cast(over(exp.Sum(this=product)), squares)
    number = _cast(count, Decimal(9 if own.scale else 10, 0))
    rest = exp.Sub(
        this=exp.Mul(this=number, expression=of_squares), expression=exp.Mul(this=summed, expression=summed.copy())
    )
    less = exp.paren(exp.Sub(this=count.copy(), expression=exp.Literal.number(1))) if sample else count.copy()
    pairs = exp.Mul(this=_cast(count, "double"), expression=_cast(less, "double"))
    quotient = exp.Div(this=_cast(exp.paren(rest), "double"), expression=exp.paren(pairs), typed=False, safe=False)
    few = exp.LT(this=count.copy(), expression=exp.Literal.number(2 if sample else 1))
    return _cast(exp.If(this=few, true=exp.null(), false=quotient), "double")
