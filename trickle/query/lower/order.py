"""ORDER BY with LIMIT and OFFSET: a top-k by output columns, and by expressions that are computed beside them."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from trickle.model.schema import Column
from trickle.query.lower.context import Context
from trickle.query.operators import Relation, TopK, column
from trickle.query.settle import OPEN_LIMIT
from trickle.query.tree import project


def is_limited(query: exp.Query) -> bool:
    return bool(query.args.get("limit") or query.args.get("offset"))


def _number(node: exp.Expr | None, context: Context) -> int | None:
    if node is None:
        return None
    value = node.expression if isinstance(node, exp.Limit | exp.Offset) else node
    if not isinstance(value, exp.Literal) or not value.is_int:
        raise context.refuse(f"{node.key.upper()} that is not a whole number", node)
    return int(value.name)


def limits(query: exp.Query, context: Context) -> tuple[int | None, int]:
    """LIMIT and OFFSET; without an order, the rows they keep are left open."""
    if query.meta.get(OPEN_LIMIT):
        word = "limit" if query.args.get("limit") else "offset"
        construct = f"{word.upper()} without ORDER BY: which rows it keeps is left open"
        raise context.refuse(construct, query.args[word], word)
    limit, offset = query.args.get("limit"), query.args.get("offset")
    return _number(limit, context), _number(offset, context) or 0


def order_of(query: exp.Query, output: Callable[[exp.Expr], exp.Expr]) -> tuple[exp.Ordered, ...]:
    """The sort keys, each an expression over the relation that is cut."""
    ordered = []
    for term in query.args["order"].expressions:
        copied = term.copy()
        copied.set("this", output(term.this))
        ordered.append(copied)
    return tuple(ordered)


def first_rows(
    relation: Relation, query: exp.Query, order: tuple[exp.Ordered, ...], keys: tuple[Column, ...], context: Context
) -> Relation:
    """The rows LIMIT and OFFSET keep, for each member of the domain."""
    limit, offset = limits(query, context)
    return TopK(relation, tuple(c.name for c in keys), order, limit, offset)


def outputs_only(relation: Relation, width: int, carried: tuple[Column, ...]) -> Relation:
    """Without columns that served the order alone."""
    kept = (*relation.columns[:width], *carried)
    return project(relation, tuple((c, column(c.name)) for c in kept))
