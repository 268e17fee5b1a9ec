"""The one form of a query that FULL, verify and every comparison run: equal inputs give equal rows.

Spark may answer the same query differently from run to run where rows tie, where order is left open, and where it adds
integers up as doubles. The canonical form settles each of these; what cannot be settled safely stays as it was written.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, walk_in_scope

from trickle.model.names import RelationName
from trickle.model.schema import Column
from trickle.query.average import exact_mean, summand_type
from trickle.query.clock import at_moment
from trickle.query.emit import view_name
from trickle.query.outputs import visible_columns
from trickle.query.parse import Query
from trickle.query.qualify import relation_of
from trickle.query.types import infer

_RANKED = (exp.RowNumber, exp.Ntile, exp.Lag, exp.Lead, exp.FirstValue, exp.First, exp.NthValue)
_UNORDERED = ("map<", "variant", "interval")


def _orderable(c: Column) -> bool:
    return bool(c.type) and not any(kind in c.type for kind in _UNORDERED)


def _ascending(expression: exp.Expr) -> exp.Ordered:
    return exp.Ordered(this=expression.copy(), desc=False, nulls_first=True)


def _append(order: exp.Order | None, keys: Sequence[exp.Expr]) -> exp.Order:
    """An ORDER BY that ends with these keys, without repeating one."""
    ordered = [o.copy() for o in order.expressions] if order is not None else []
    present = [o.this for o in ordered]
    return exp.Order(expressions=ordered + [_ascending(k) for k in keys if k not in present])


def _row_keys(select: exp.Select, columns: Sequence[Column]) -> list[exp.Expr] | None:
    """Expressions that tell any two different rows below a window apart; None when there are none to be had."""
    group = select.args.get("group")
    if group is not None:
        return [e.copy() for e in group.expressions] if group.expressions else None
    if not columns or not all(_orderable(c) for c in columns):
        return None
    parts = [c.name.partition(".") for c in columns]
    return [exp.column(name, table=alias, quoted=True) for alias, _, name in parts]


def _needs_order(window: exp.Window) -> bool:
    function = window.this
    bare = function.this if isinstance(function, exp.IgnoreNulls | exp.RespectNulls) else function
    spec = window.args.get("spec")
    rows = isinstance(spec, exp.WindowSpec) and str(spec.args.get("kind")).upper() == "ROWS"
    return isinstance(bare, _RANKED) or rows


def _settle_window(window: exp.Window, select: exp.Select, columns: Sequence[Column]) -> None:
    keys = _row_keys(select, columns)
    if keys is not None and _needs_order(window) and not window.args.get("alias"):
        window.set("order", _append(window.args.get("order"), keys))


def _settle_limit(query: exp.Query) -> None:
    """Rows equal in every output column are alike, so the outputs break every tie."""
    if not query.args.get("limit") and not query.args.get("offset"):
        return
    outputs = [exp.column(name, quoted=True) for name in query.named_selects]
    if isinstance(query, exp.Select) and any(isinstance(s, exp.Star) for s in query.selects):
        return
    query.set("order", _append(query.args.get("order"), outputs))


def _sorted(node: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this="sort_array", expressions=[node.copy()])


def _mean(node: exp.Avg, columns: Sequence[Column]) -> exp.Expr | None:
    """AVG from an exact sum; over a window when the AVG was."""
    type_ = infer(node.this, columns)
    summand = summand_type(type_)
    if not summand or isinstance(node.this, exp.Distinct):
        return None
    value = exp.cast(node.this, summand, dialect="spark")
    total: exp.Expr = exp.Sum(this=value)
    count: exp.Expr = exp.Count(this=value.copy())
    if isinstance(node.parent, exp.Window):
        total, count = (_over(node.parent, part) for part in (total, count))
    return exact_mean(total, count, type_)


def _over(window: exp.Window, function: exp.Expr) -> exp.Expr:
    copied = window.copy()
    copied.set("this", function)
    return copied


def _settle_function(node: exp.Expr, columns: Sequence[Column]) -> None:
    windowed = isinstance(node.parent, exp.Window)
    wrapped = isinstance(node.parent, exp.Filter | exp.WithinGroup | exp.IgnoreNulls | exp.RespectNulls)
    if isinstance(node, exp.Avg) and not wrapped:
        mean = _mean(node, columns)
        target = node.parent if windowed and node.parent is not None else node
        if mean is not None:
            target.replace(exp.paren(mean) if isinstance(target.parent, exp.Binary) else mean)
    elif isinstance(node, exp.AnyValue | exp.First | exp.Last) and not windowed and not wrapped:
        node.replace(exp.Min(this=node.this.copy()))
    elif isinstance(node, exp.ArrayAgg | exp.ArrayUniqueAgg) and not windowed and not wrapped:
        node.replace(_sorted(node))


_SETTLED = exp.Avg | exp.AnyValue | exp.First | exp.Last | exp.ArrayAgg | exp.ArrayUniqueAgg


def _settle(scope: Scope, columns: Sequence[Column]) -> None:
    query = scope.expression
    if not isinstance(query, exp.Query):
        return
    _settle_limit(query)
    if not isinstance(query, exp.Select):
        return
    nodes = list(walk_in_scope(query))
    for window in (n for n in nodes if isinstance(n, exp.Window)):
        _settle_window(window, query, columns)
    for node in reversed([n for n in nodes if isinstance(n, _SETTLED)]):
        _settle_function(node, columns)


def _read_views(ast: exp.Query, query: Query) -> None:
    for node in list(ast.find_all(exp.Table)):
        name = relation_of(node, query.schemas) if node.db else None
        if name is None:
            continue
        if not node.alias and not node.args.get("pivots"):
            node.set("alias", exp.TableAlias(this=exp.to_identifier(node.name, quoted=True)))
        node.set("this", exp.to_identifier(view_name(name), quoted=True))
        node.set("db", None)


def _spell_outputs(ast: exp.Query, query: Query) -> None:
    """Give the outputs the names their author wrote."""
    first = ast
    while isinstance(first, exp.SetOperation | exp.Subquery):
        first = first.this
    for select, c in zip(first.selects, query.columns, strict=True):
        if isinstance(select, exp.Alias):
            select.set("alias", exp.to_identifier(c.name, quoted=True))


def rows_sql(name: RelationName) -> str:
    """All rows of a stored relation, read from its plain-row view."""
    view = exp.Table(this=exp.to_identifier(view_name(name), quoted=True))
    return exp.select("*").from_(view).sql("spark")


def canonical_sql(query: Query, moment: datetime | None = None) -> str:
    """The query in Spark SQL over plain-row views of its inputs, called as `view_name` says.

    With a moment, the current time in it is that moment.
    """
    ast: exp.Query = query.ast.copy()
    for scope, columns in visible_columns(ast, query.schemas):
        _settle(scope, columns)
    if not ast.args.get("limit") and not ast.args.get("offset"):
        ast.set("order", None)
    _read_views(ast, query)
    _spell_outputs(ast, query)
    if moment is not None:
        return at_moment(ast, moment).sql("spark", pretty=True, comments=False)
    return ast.sql("spark", pretty=True, comments=False)
