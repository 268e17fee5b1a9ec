"""Window functions: one operator for each PARTITION BY, over a projection that has its keys as columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

from trickle.model.schema import Column
from trickle.query.functions import is_aggregate, is_window_only, open_to_order, spark_name
from trickle.query.lower.block import extended
from trickle.query.lower.context import Context
from trickle.query.lower.expression import called, check_scalar
from trickle.query.operators import Relation, Window, column
from trickle.query.settle import SETTLED, needs_order
from trickle.query.types import FLOATS, UNKNOWN, infer

_ORDER_FREE = (
    exp.Min, exp.Max, exp.Count, exp.AnyValue, exp.First, exp.Last, exp.FirstValue, exp.LastValue, exp.NthValue,
    exp.Median, exp.PercentileCont, exp.PercentileDisc, exp.Quantile, exp.ArrayAgg, exp.ArrayUniqueAgg,
)  # fmt: skip


class Windows:
    """Collects the window functions of one SELECT, then computes them."""

    def __init__(self, relation: Relation, carried: Sequence[Column], context: Context) -> None:
        self.relation = relation
        self.carried = [c.name for c in carried]
        self.context = context
        self.keys: list[tuple[exp.Expr, str]] = []
        self.found: list[tuple[Column, tuple[str, ...], exp.Window]] = []

    def over(self, expression: exp.Expr) -> exp.Expr:
        """The expression with each window function as a column."""
        holder = exp.Paren(this=expression.copy())
        for node in list(_outermost(holder.this)):
            node.replace(self._column(node))
        whole: exp.Expr = holder.this
        return whole

    def _column(self, window: exp.Window) -> exp.Column:
        self._check(window)
        partition = tuple(self._key(e) for e in window.args.get("partition_by") or [])
        keys = (*self.carried, *(p for p in partition if p not in self.carried))
        whole = window.copy()
        whole.set("partition_by", [column(k) for k in keys])
        for known, _, same in self.found:
            if same == whole:
                return column(known.name)
        target = Column(f"{spark_name(_function(window))}_{len(self.found) + 1}", infer(window, self.relation.columns))
        target = Column(self.context.fresh(f"{target.name}."), target.type)
        self.found.append((target, keys, whole))
        return column(target.name)

    def _key(self, expression: exp.Expr) -> str:
        if isinstance(expression, exp.Column):
            return expression.name
        for known, name in self.keys:
            if known == expression:
                return name
        c = Column(self.context.fresh("partition"), infer(expression, self.relation.columns))
        self.relation = extended(self.relation, ((c, expression.copy()),))
        self.keys.append((expression.copy(), c.name))
        return c.name

    def _check(self, window: exp.Window) -> None:
        function = _function(window)
        name = called(function, self.context)
        if not is_aggregate(function) and not is_window_only(function):
            raise self.context.refuse(f"window function {name.upper()}", window)
        unsettled = needs_order(window) and not window.meta.get(SETTLED)
        if unsettled or (open_to_order(function) and not needs_order(window) and not _sorted(window)):
            raise self.context.refuse(f"window function {name.upper()}, whose ties cannot be broken", window)
        if is_aggregate(function) and not isinstance(function, _ORDER_FREE) and self._adds_floats(function):
            construct = f"window function {name.upper()} over floating-point values, which have no order-free sum"
            raise self.context.refuse(f"{construct}: set exact_floats", window)
        for part in _parts(window, function):
            check_scalar(part, self.context)

    def _adds_floats(self, function: exp.Expr) -> bool:
        """Whether a function may give another last digit for another order of the rows."""
        return infer(function, self.relation.columns) in (*FLOATS, UNKNOWN)

    def build(self) -> Relation:
        """The relation with a column for each function."""
        relation = self.relation
        for keys in dict.fromkeys(keys for _, keys, _ in self.found):
            functions = tuple((c, w) for c, own, w in self.found if own == keys)
            relation = Window(relation, keys, functions)
        return relation


def _sorted(window: exp.Window) -> bool:
    """Whether a collection is sorted as soon as it is made."""
    return isinstance(window.parent, exp.Func) and spark_name(window.parent) in {"sort_array", "array_sort"}


def _outermost(expression: exp.Expr) -> Iterator[exp.Window]:
    if isinstance(expression, exp.Window):
        yield expression
        return
    for child in list(expression.iter_expressions()):
        yield from _outermost(child)


def _function(window: exp.Window) -> exp.Expr:
    function: exp.Expr = window.this
    while isinstance(function, exp.IgnoreNulls | exp.RespectNulls | exp.Filter):
        function = function.this
    return function


def _parts(window: exp.Window, function: exp.Expr) -> Iterator[exp.Expr]:
    """Everything inside a window that is an expression of the row."""
    yield from (e for e in function.iter_expressions() if not isinstance(e, exp.Star))
    yield from window.args.get("partition_by") or []
    order = window.args.get("order")
    yield from (o.this for o in order.expressions) if order is not None else ()
    if isinstance(window.this, exp.Filter):
        yield window.this.expression.this
