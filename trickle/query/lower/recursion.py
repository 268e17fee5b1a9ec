"""WITH RECURSIVE: base and step of a CTE that reads itself, the step over the rows found last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from trickle.model.names import LoopName
from trickle.model.schema import Column
from trickle.query.lower.context import Context
from trickle.query.operators import (
    Explode,
    Filter,
    InnerJoin,
    OuterJoin,
    Project,
    Recursive,
    Relation,
    Scan,
    SemiJoin,
    UnionAll,
    column,
    names,
)
from trickle.query.tree import project, scans


def recursion(name: str, query: exp.Union, aliases: Sequence[str], context: Context) -> Relation:
    """The relation of a recursive CTE."""
    first = context.lower(query.left, context.inside(None)).relation
    given = [*aliases, *names(first.columns)[len(aliases) :]]
    columns = tuple(Column(n, c.type) for n, c in zip(given, first.columns, strict=True))
    if not all(c.type for c in columns):
        unclear = next(c.name for c in columns if not c.type)
        raise context.refuse(f'WITH RECURSIVE whose column "{unclear}" has no certain type', query.left)
    base = project(first, tuple((c, column(o.name)) for c, o in zip(columns, first.columns, strict=True)))
    loop = LoopName(context.table.name, name)
    inner = replace(context, loops={**context.loops, name: Scan(loop, names(columns), columns)}, domain=None)
    found = context.lower(query.right, inner).relation
    if len(found.columns) != len(columns):
        raise context.wrong("the parts of a recursive CTE have different numbers of columns", query)
    step = project(found, tuple((c, _as(o, c)) for c, o in zip(columns, found.columns, strict=True)))
    if not _straight(step, loop):
        raise context.refuse("WITH RECURSIVE that reads itself below an aggregate, a window or a negation", query.right)
    return Recursive(base, step, loop, once=bool(query.args.get("distinct")))


def _as(have: Column, want: Column) -> exp.Expr:
    value = column(have.name)
    return value if have.type == want.type else exp.cast(value, want.type, dialect="spark")


def _straight(node: Relation, loop: LoopName) -> bool:
    """Whether the rows found last are read once, and by operators to which each row stands alone."""
    inside = [i for i in node.inputs if any(source == loop for source, _ in scans(i))]
    if isinstance(node, Scan):
        return True
    if len(inside) != 1:
        return False
    preserved = isinstance(node, OuterJoin | SemiJoin) and inside[0] is node.left
    simple = isinstance(node, Filter | Project | UnionAll | Explode | InnerJoin) or preserved
    return simple and _straight(inside[0], loop)
