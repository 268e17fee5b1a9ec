"""Aggregate functions with one answer: exact means, complete orders, FILTER and COUNT_IF as plain arguments.

Each rewrites one call in a query's tree; a delta plan and a query from scratch both see the result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sqlglot
from sqlglot import exp

from trickle.model.schema import Column
from trickle.query.average import exact_mean, summand_type
from trickle.query.dialect import SparkText
from trickle.query.types import FLOATS, infer
from trickle.query.variance import exact_variance

WHOLE = "whole"
"""Marks an expression over aggregates that is kept as one value, since its parts would be as large as the rows."""
_SPREADS = (exp.Variance, exp.VariancePop, exp.Stddev, exp.StddevSamp, exp.StddevPop)
_SKIPS_NULLS = (exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.LogicalAnd, exp.LogicalOr, exp.CountIf,
                exp.AnyValue, exp.First, exp.Last, exp.ArrayAgg, exp.ArrayUniqueAgg, *_SPREADS)  # fmt: skip
"""What gives the same of a NULL as of no row; the ones of values in the form they are settled to."""
_FIRST_OF_ROWS = (exp.AnyValue, exp.First, exp.Last)
"""What is settled to a minimum, but over a window stays what it is."""
_WRAPPERS = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)


def settled_aggregate(node: exp.Expr, columns: Sequence[Column], *, exact_floats: bool = False) -> None:
    """Replace an aggregate call in its tree by the form that has one answer."""
    parent = node.parent
    windowed = isinstance(parent.parent if isinstance(parent, exp.Filter) else parent, exp.Window)
    skipping = isinstance(node, _SKIPS_NULLS) and not (windowed and isinstance(node, _FIRST_OF_ROWS))
    if isinstance(parent, exp.Filter) and skipping and _single(node):
        node = _unfiltered(node, parent)
    elif isinstance(parent, exp.Filter) and _is_by(node):
        node = _unfiltered_by(node, parent)
    elif isinstance(parent, _WRAPPERS):
        return
    if isinstance(node, exp.CountIf):
        node = _swap(node, exp.Count(this=_when(node.this, exp.Literal.number(1))))
    settled = _exact(node, columns) or (None if windowed else _settled(node))
    if settled is None and exact_floats and isinstance(node, exp.Sum | exp.Avg):
        settled = _in_order(node, columns)
    if settled is not None:
        target = node.parent if windowed and node.parent is not None else node
        target.replace(exp.paren(settled) if isinstance(target.parent, exp.Binary) else settled)


def _single(node: exp.Expr) -> bool:
    return not isinstance(node.this, exp.Distinct) and not node.args.get("expressions")


def _swap(node: exp.Expr, new: exp.Expr) -> exp.Expr:
    node.replace(new)
    return new


def _when(condition: exp.Expr, value: exp.Expr) -> exp.Expr:
    return exp.Case(ifs=[exp.If(this=condition.copy(), true=value.copy())])


def _unfiltered(node: exp.Expr, wrapper: exp.Filter) -> exp.Expr:
    """f(x) FILTER (WHERE c) as f(CASE WHEN c THEN x END), for a function that skips NULL."""
    condition = wrapper.expression.this
    value = exp.Literal.number(1) if isinstance(node.this, exp.Star) else node.this
    bare = type(node)(this=_when(condition, value))
    return _swap(wrapper, bare)


def _is_by(node: exp.Expr) -> bool:
    named = isinstance(node, exp.Anonymous) and node.name.lower() in {"max_by", "min_by"}
    return named and len(node.expressions) == 2


def _unfiltered_by(node: exp.Expr, wrapper: exp.Filter) -> exp.Expr:
    """MAX_BY and MIN_BY skip rows without a value to compare."""
    value, by = node.expressions
    bare = exp.Anonymous(this=node.this, expressions=[value.copy(), _when(wrapper.expression.this, by)])
    return _swap(wrapper, bare)


def _exact(node: exp.Expr, columns: Sequence[Column]) -> exp.Expr | None:
    """Means and spreads of exact numbers from exact sums."""
    if isinstance(node, exp.Avg):
        return _mean(node, columns)
    return _spread(node, columns) if isinstance(node, _SPREADS) else None


def _spread(node: exp.Expr, columns: Sequence[Column]) -> exp.Expr | None:
    """Variance and standard deviation; over a window when they were."""
    window = node.parent
    sample = isinstance(node, exp.Variance | exp.Stddev | exp.StddevSamp)

    def over(function: exp.Expr) -> exp.Expr:
        return _over(window, function) if isinstance(window, exp.Window) else function

    if isinstance(node.this, exp.Distinct):
        return None
    variance = exact_variance(node.this, infer(node.this, columns), over, sample=sample)
    if variance is None or isinstance(node, exp.Variance | exp.VariancePop):
        return variance
    return exp.Sqrt(this=variance)


def _mean(node: exp.Avg, columns: Sequence[Column]) -> exp.Expr | None:
    """AVG from an exact sum; over a window when the AVG was."""
    distinct = isinstance(node.this, exp.Distinct)
    argument = node.this.expressions[0] if distinct else node.this
    type_ = infer(argument, columns)
    summand = summand_type(type_)
    if not summand:
        return None
    value = exp.cast(argument, summand, dialect="spark")
    added: exp.Expr = exp.Distinct(expressions=[value]) if distinct else value
    total: exp.Expr = exp.Sum(this=added)
    count: exp.Expr = exp.Count(this=added.copy())
    if isinstance(node.parent, exp.Window):
        total, count = (_over(node.parent, part) for part in (total, count))
    return exact_mean(total, count, type_)


def _in_order(node: exp.Sum | exp.Avg, columns: Sequence[Column]) -> exp.Expr | None:
    """A float sum or mean over the values in sorted order, which is the same whatever order they come in."""
    if isinstance(node.this, exp.Distinct) or infer(node.this, columns) not in FLOATS:
        return None
    values: exp.Expr = exp.ArrayAgg(this=exp.cast(node.this, "double", dialect="spark"))
    count: exp.Expr = exp.Count(this=node.this.copy())
    if isinstance(node.parent, exp.Window):
        values, count = (_over(node.parent, part) for part in (values, count))
    total = sqlglot.parse_one("AGGREGATE(SORT_ARRAY(xs), CAST(0 AS DOUBLE), (a, v) -> a + v)", dialect=SparkText)
    for name in list(total.find_all(exp.Column)):
        if name.name == "xs":
            name.replace(values)
    whole = exp.Div(this=total, expression=count.copy()) if isinstance(node, exp.Avg) else total
    none = exp.EQ(this=count, expression=exp.Literal.number(0))
    chosen = exp.cast(exp.If(this=none, true=exp.null(), false=whole), "double", dialect="spark")
    chosen.meta[WHOLE] = True
    return chosen


def _over(window: exp.Window, function: exp.Expr) -> exp.Expr:
    copied = window.copy()
    copied.set("this", function)
    return copied


def _least(node: exp.Expr) -> exp.Expr:
    """Any value will do, so the least."""
    return exp.Min(this=node.this.copy())


def _sorted(node: exp.Expr) -> exp.Expr | None:
    """A collection without an order, sorted."""
    if isinstance(node.this, exp.Order):
        return None
    return exp.Anonymous(this="sort_array", expressions=[node.copy()])


def _joined(node: exp.Expr) -> exp.Expr | None:
    """LISTAGG in the order of its ORDER BY, then of its values."""
    order = node.this if isinstance(node.this, exp.Order) else exp.Order(this=node.this.copy(), expressions=[])
    value = order.this.expressions[0] if isinstance(order.this, exp.Distinct) else order.this
    if isinstance(order.this, exp.Distinct) and order.expressions:
        return None
    last = exp.Ordered(this=value.copy(), desc=False, nulls_first=True)
    whole = exp.Order(this=order.this.copy(), expressions=[*(o.copy() for o in order.expressions), last])
    return exp.GroupConcat(this=whole, separator=node.args["separator"].copy())


def _lowest_mode(node: exp.Expr) -> exp.Expr | None:
    """Of several most frequent values the least."""
    if node.this is None or node.args.get("deterministic"):
        return None
    return exp.Mode(this=node.this.copy(), deterministic=exp.true())


def _exact_percentile(node: exp.Expr) -> exp.Expr | None:
    """An approximate percentile depends on the order of the rows; the exact one is a right approximation."""
    share = node.args.get("quantile")
    if not isinstance(share, exp.Literal):
        return None
    values = exp.Anonymous(this="sort_array", expressions=[exp.ArrayAgg(this=node.this.copy())])
    number = exp.Mul(this=share.copy(), expression=exp.Count(this=node.this.copy()))
    place = exp.cast(exp.Ceil(this=number), "int", dialect="spark")
    first = exp.Greatest(this=exp.Literal.number(1), expressions=[place])
    chosen = exp.Anonymous(this="try_element_at", expressions=[values, first])
    chosen.meta[WHOLE] = True
    return chosen


def _pairs(by: exp.Expr) -> bool:
    """Whether this is already a pair of what is compared and the value."""
    first = by.args["ifs"][0].args["true"] if isinstance(by, exp.Case) else by
    return isinstance(first, exp.Anonymous) and first.name.lower() == "named_struct"


def _tie_broken(node: exp.Expr) -> exp.Expr | None:
    """MAX_BY and MIN_BY: among equals, the extreme value itself decides."""
    if not _is_by(node):
        return None
    value, by = node.expressions
    if _pairs(by):
        return None
    both = exp.Anonymous(this="named_struct", expressions=[
        exp.Literal.string("by"), by.copy(), exp.Literal.string("value"), value.copy()])  # fmt: skip
    present = exp.Is(this=by.copy(), expression=exp.null()).not_()
    return exp.Anonymous(this=node.this, expressions=[value.copy(), _when(present, both)])


_FORMS: tuple[tuple[tuple[type[exp.Expr], ...], Callable[[exp.Expr], exp.Expr | None]], ...] = (
    ((exp.AnyValue, exp.First, exp.Last, exp.FirstValue, exp.LastValue), _least),
    ((exp.ArrayAgg, exp.ArrayUniqueAgg), _sorted),
    ((exp.GroupConcat,), _joined),
    ((exp.Mode,), _lowest_mode),
    ((exp.ApproxQuantile,), _exact_percentile),
    ((exp.Anonymous,), _tie_broken),
)


def _settled(node: exp.Expr) -> exp.Expr | None:
    form = next((form for classes, form in _FORMS if isinstance(node, classes)), None)
    return form(node) if form else None
