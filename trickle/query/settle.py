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
from trickle.query.grouped import is_aggregated
from trickle.query.outputs import visible_columns
from trickle.query.parse import Query, Schemas

SETTLED = "settled"
"""Marks a window whose order leaves no tie open."""
OPEN_LIMIT = "open_limit"
"""Marks a query that has a LIMIT but was written without an order."""
_RANKED = (
    exp.RowNumber, exp.Ntile, exp.Lag, exp.Lead, exp.FirstValue, exp.First, exp.NthValue, exp.LastValue, exp.Last
)  # fmt: skip
_OF_FRAME = (exp.FirstValue, exp.First, exp.NthValue, exp.LastValue, exp.Last)
_SETS = (exp.Rollup, exp.Cube, exp.GroupingSets)
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
    if is_aggregated(select):
        return []
    if not columns or not all(_orderable(c) for c in columns):
        return None
    parts = [c.name.partition(".") for c in columns]
    return [exp.column(name, table=alias, quoted=True) for alias, _, name in parts]


def group_keys(group: exp.Group) -> list[exp.Expr] | None:
    """What tells any two rows of a grouped SELECT apart."""
    several = [s for name in ("rollup", "cube", "grouping_sets") for s in group.args.get(name) or []]
    several += [e for e in group.expressions if isinstance(e, _SETS)]
    keys = [e.copy() for e in group.expressions if not isinstance(e, _SETS)]
    for one in several:
        keys += [e.copy() for e in _keys_of_sets(one) if e not in keys]
    if several:
        keys.append(exp.Anonymous(this="grouping_id"))
    return keys or None


def _keys_of_sets(node: exp.Expr) -> list[exp.Expr]:
    """Every expression that some grouping set groups by."""
    bare = node.unnest()
    if isinstance(bare, (exp.Tuple, *_SETS)):
        return [key for e in bare.expressions for key in _keys_of_sets(e)]
    return [bare]


def needs_order(window: exp.Window) -> bool:
    """Whether a window function's value depends on the order of rows that tie."""
    function = window.this
    bare = function.this if isinstance(function, exp.IgnoreNulls | exp.RespectNulls) else function
    spec = window.args.get("spec")
    rows = isinstance(spec, exp.WindowSpec) and str(spec.args.get("kind")).upper() == "ROWS"
    return isinstance(bare, _RANKED) or rows


def _reads_frame(window: exp.Window) -> bool:
    """Whether a window function takes a value from some row of its frame."""
    function = window.this
    bare = function.this if isinstance(function, exp.IgnoreNulls | exp.RespectNulls) else function
    return isinstance(bare, _OF_FRAME)


def _is_first(function: exp.Expr) -> bool:
    """FIRST_VALUE that takes NULL for a value: the first row of all, whichever rows tie with the current one."""
    bare = function.this if isinstance(function, exp.RespectNulls) else function
    return isinstance(bare, exp.FirstValue | exp.First) and len(list(bare.iter_expressions())) == 1


def _frame_of_peers(window: exp.Window) -> bool:
    """Whether a window reads a frame that begins or ends with all rows that tie: more keys would part them."""
    spec = window.args.get("spec")
    if not _reads_frame(window) or (spec is not None and str(spec.args.get("kind")).upper() == "ROWS"):
        return False
    if spec is None:
        return bool(window.args.get("order")) and not _is_first(window.this)
    return any(str(spec.args.get(end)).upper() != "UNBOUNDED" for end in ("start", "end"))


def _tells_apart(window: exp.Window, keys: Sequence[exp.Expr]) -> bool:
    """Whether a window as written orders any two different rows of a partition."""
    order = window.args.get("order")
    written = [*(window.args.get("partition_by") or []), *(o.this for o in (order.expressions if order else []))]
    return all(key in written for key in keys)


def _whole_partition() -> exp.WindowSpec:
    """The frame of a window without an order."""
    return exp.WindowSpec(kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end="UNBOUNDED", end_side="FOLLOWING")


def _settle_window(window: exp.Window, select: exp.Select, columns: Sequence[Column]) -> None:
    keys = _row_keys(select, columns)
    if keys is not None and needs_order(window) and not window.args.get("alias"):
        if _frame_of_peers(window) and not _tells_apart(window, keys):
            return
        if not window.args.get("order") and not window.args.get("spec") and _reads_frame(window):
            window.set("spec", _whole_partition())
        window.set("order", _append(window.args.get("order"), keys))
        window.meta[SETTLED] = True


def _order_by_outputs(query: exp.Query) -> None:
    """DISTINCT leaves only outputs to order by, so a key that is one is called by its name."""
    if not isinstance(query, exp.Select) or not query.args.get("distinct") or not query.args.get("order"):
        return
    for term in query.args["order"].expressions:
        name = next((s.alias_or_name for s in query.selects if s.unalias() == term.this), "")
        if name:
            term.set("this", exp.column(name, quoted=True))


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
    _order_by_outputs(query)
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
