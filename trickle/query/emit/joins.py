"""Joins as Spark SQL: weights multiply, or are those of the left side."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from trickle.model.schema import Column
from trickle.query.emit.parts import all_of, identifier, named, plain, table
from trickle.query.estimate import Estimate
from trickle.query.operators import (
    AntiJoin,
    InnerJoin,
    OuterJoin,
    Relation,
    Restrict,
    SemiJoin,
    Version,
    references,
)
from trickle.query.tree import scans

NameOf = Callable[[Relation], str]


def _weight_of(subquery: str, weight: str) -> exp.Expr:
    return exp.Column(this=identifier(weight), table=identifier(subquery))


def inner_join(node: InnerJoin, name_of: NameOf, weight: str, estimate: Estimate) -> exp.Select:
    """Inputs joined from the changed one outward, each conjunct as soon as its columns are there.

    As long as what was joined so far is known to be little, it is sent to every task of the next join.
    """
    first, *rest = join_order(node)
    joined, count = name_of(first), estimate.of(first)
    columns, pending = list(first.columns), list(node.on)
    before: tuple[Relation, ...] = (first,)
    source: exp.Expr = table(joined)
    query = exp.select(*plain(node.columns)).from_(source)
    for place, other in enumerate(rest):
        columns += other.columns
        available = {c.name for c in columns}
        ready = [c for c in pending if references(c) <= available]
        pending = [c for c in pending if c not in ready]
        last = place == len(rest) - 1
        query = _pair(joined, source, other, ready, node.columns if last else columns, name_of, weight)
        if ready and estimate.few(count):
            query = query.hint(exp.func("BROADCAST", table(joined)))
        count = estimate.met(count, before, other, node.on)
        before = (*before, other)
        joined = f"joined {place + 1}"
        source = query.subquery(identifier(joined))
    return query


def _pair(
    joined: str,
    source: exp.Expr,
    other: Relation,
    ready: Sequence[exp.Expr],
    columns: Sequence[Column],
    name_of: NameOf,
    weight: str,
) -> exp.Select:
    on = all_of(ready)
    kind = {"kind": "INNER", "on": on} if on is not None else {"kind": "CROSS"}
    product = exp.Mul(this=_weight_of(joined, weight), expression=_weight_of(name_of(other), weight))
    query = exp.select(*plain(columns), named(product, weight)).from_(source)
    return query.join(exp.Join(this=table(name_of(other)), **kind))


def join_order(node: InnerJoin) -> list[Relation]:
    """The inputs, the one that reads changes first, then whatever is connected to those before it."""
    waiting = list(node.inputs)
    changed = [i for i in waiting if any(version is Version.DELTA for _, version in scans(i))]
    order = [changed[0] if changed else waiting[0]]
    waiting.remove(order[0])
    while waiting:
        have = {c.name for i in order for c in i.columns}

        def connected(source: Relation, have: set[str] = have) -> bool:
            own = {c.name for c in source.columns}
            return any((r := references(c)) & own and r & have and r <= own | have for c in node.on)

        chosen = next((i for i in waiting if connected(i)), waiting[0])
        waiting.remove(chosen)
        order.append(chosen)
    return order


def outer_join(node: OuterJoin, left: str, right: str, weight: str) -> exp.Select:
    """A row without a match keeps its own weight."""
    matches = exp.Coalesce(this=_weight_of(right, weight), expressions=[exp.Literal.number(1)])
    product = named(exp.Mul(this=_weight_of(left, weight), expression=matches), weight)
    join = exp.Join(this=table(right), side="LEFT", on=all_of(node.on) or exp.true())
    return exp.select(*plain(node.columns), product).from_(table(left)).join(join)


def half_join(node: SemiJoin | AntiJoin, left: str, right: str, weight: str) -> exp.Select:
    """Rows of the left side that do, or do not, match."""
    kind = "SEMI" if isinstance(node, SemiJoin) else "ANTI"
    join = exp.Join(this=table(right), side="LEFT", kind=kind, on=all_of(node.on) or exp.true())
    return exp.select(*plain(node.columns), _weight_of(left, weight)).from_(table(left)).join(join)


def restriction(node: Restrict, left: str, right: str, weight: str) -> exp.Select:
    """Rows whose keys are among others, NULL beside NULL; the two sides may have columns of one name."""

    def of(side: str, name: str) -> exp.Expr:
        return exp.Column(this=identifier(name), table=identifier(side))

    matched = [exp.NullSafeEQ(this=of("l", a), expression=of("r", b)) for a, b in node.keys]
    selected = [of("l", name) for name in (*(c.name for c in node.columns), weight)]
    join = exp.Join(this=table(right, "r"), side="LEFT", kind="SEMI", on=exp.and_(*matched))
    return exp.select(*selected).from_(table(left, "l")).join(join)
