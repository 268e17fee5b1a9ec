"""The one answer of a query that leaves several open: ties broken, orders completed, means and counts exact.

Spark may answer the same query differently from run to run where rows tie, where order is left open, and where it adds
integers up as doubles. FULL, verify and the delta plan all start from the form written here.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, walk_in_scope

from trickle.model.names import RelationName
from trickle.model.schema import Column
from trickle.query.aggregates import settled_aggregate
from trickle.query.outputs import visible_columns
from trickle.query.parse import Query, Schemas

SETTLED = "settled"
"""Marks a window whose order leaves no tie open."""
OPEN_LIMIT = "open_limit"
"""Marks a query that has a LIMIT but was written without an order."""
_RANKED = (
    exp.RowNumber, exp.Ntile, exp.Lag, exp.Lead, exp.FirstValue, exp.First, exp.NthValue, exp.LastValue, exp.Last
)  # fmt: skip
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
        return group_keys(group)
    if not columns or not all(_orderable(c) for c in columns):
        return None
    parts = [c.name.partition(".") for c in columns]
    return [exp.column(name, table=alias, quoted=True) for alias, _, name in parts]


def group_keys(group: exp.Group) -> list[exp.Expr] | None:
    """What tells any two rows of a grouped SELECT apart."""
    keys = [e.copy() for e in group.expressions]
    several = [s for name in ("rollup", "cube", "grouping_sets") for s in group.args.get(name) or []]
    for one in several:
        inner = [e for e in one.find_all(exp.Column) if e.find_ancestor(exp.Func) is None]
        keys += [e.copy() for e in inner if e not in keys]
    if several:
        keys.append(exp.Anonymous(this="grouping_id"))
    return keys or None


def needs_order(window: exp.Window) -> bool:
    """Whether a window function's value depends on the order of rows that tie."""
    function = window.this
    bare = function.this if isinstance(function, exp.IgnoreNulls | exp.RespectNulls) else function
    spec = window.args.get("spec")
    rows = isinstance(spec, exp.WindowSpec) and str(spec.args.get("kind")).upper() == "ROWS"
    return isinstance(bare, _RANKED) or rows


def _settle_window(window: exp.Window, select: exp.Select, columns: Sequence[Column]) -> None:
    keys = _row_keys(select, columns)
    if keys is not None and needs_order(window) and not window.args.get("alias"):
        window.set("order", _append(window.args.get("order"), keys))
        window.meta[SETTLED] = True


def _settle_limit(query: exp.Query) -> None:
    """Rows equal in every output column are alike, so the outputs break every tie."""
    if not query.args.get("limit") and not query.args.get("offset"):
        return
    outputs = [exp.column(name, quoted=True) for name in query.named_selects]
    if isinstance(query, exp.Select) and any(isinstance(s, exp.Star) for s in query.selects):
        return
    if not query.args.get("order"):
        query.meta[OPEN_LIMIT] = True
    query.set("order", _append(query.args.get("order"), outputs))


def _identifying(scope: Scope, columns: Sequence[Column], schemas: Schemas) -> list[Column]:
    """The columns that tell rows apart: of a stored relation with a key, that key."""
    keys: dict[str, set[str]] = {}
    for alias, (_, source) in scope.selected_sources.items():
        if isinstance(source, exp.Table):
            schema = next((s for n, s in schemas.items() if _is(source, n)), None)
            keys[alias] = {c.lower() for c in schema.key} if schema else set()
    found = []
    for c in columns:
        alias, _, name = c.name.partition(".")
        if not keys.get(alias) or name.lower() in keys[alias]:
            found.append(c)
    return found


def _is(table: exp.Table, name: RelationName) -> bool:
    return (table.db.lower(), table.name.lower()) == (name.schema.lower(), name.table.lower())


def _settle(scope: Scope, columns: Sequence[Column], schemas: Schemas, *, exact_floats: bool) -> None:
    query = scope.expression
    if not isinstance(query, exp.Query):
        return
    _settle_limit(query)
    if not isinstance(query, exp.Select):
        return
    rows = _identifying(scope, columns, schemas)
    for window in [n for n in walk_in_scope(query) if isinstance(n, exp.Window)]:
        _settle_window(window, query, rows)
    # looked for again, since a window's order was replaced by a longer one
    for node in reversed([n for n in walk_in_scope(query) if isinstance(n, exp.Func)]):
        settled_aggregate(node, columns, exact_floats=exact_floats)


def settle(query: Query) -> exp.Query:
    """A copy of the query's tree with one answer."""
    ast: exp.Query = query.ast.copy()
    for scope, columns in visible_columns(ast, query.schemas):
        _settle(scope, columns, query.schemas, exact_floats=query.table.exact_floats)
    if not ast.args.get("limit") and not ast.args.get("offset"):
        ast.set("order", None)
    return ast
