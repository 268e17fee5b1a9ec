"""Operator trees as such: walking, rewriting and renaming them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sqlglot import exp

from trickle.model.names import ScanName
from trickle.query.operators import (
    Aggregate,
    AntiJoin,
    Bindings,
    Consolidate,
    Distinct,
    Empty,
    Explode,
    Filter,
    InnerJoin,
    Negate,
    OuterJoin,
    Project,
    Recursive,
    Relation,
    Restrict,
    Scan,
    SemiJoin,
    TopK,
    UnionAll,
    Values,
    Version,
    Window,
    column,
    names,
)


def walk(relation: Relation) -> Iterator[Relation]:
    """The relation and everything below it, parents first; a shared subtree once."""
    seen: set[int] = set()
    waiting = [relation]
    while waiting:
        node = waiting.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            waiting.extend(reversed(node.inputs))


def scans(relation: Relation) -> frozenset[tuple[ScanName, Version]]:
    """Which stored relations are read, and in which version."""
    return frozenset((node.source, node.version) for node in walk(relation) if isinstance(node, Scan))


def rewrite(relation: Relation, step: Callable[[Relation], Relation]) -> Relation:
    """A tree with `step` applied to every node, inputs first; a shared subtree stays shared."""
    done: dict[int, Relation] = {}

    def rewritten(node: Relation) -> Relation:
        if id(node) not in done:
            inputs = tuple(rewritten(i) for i in node.inputs)
            same = all(new is old for new, old in zip(inputs, node.inputs, strict=True))
            done[id(node)] = step(node if same else rebuild(node, inputs))
        return done[id(node)]

    return rewritten(relation)


def renaming(relation: Relation) -> dict[str, str] | None:
    """New name to old, for a projection that computes nothing."""
    if not isinstance(relation, Project) or not all(isinstance(e, exp.Column) for _, e in relation.bindings):
        return None
    return {c.name: e.name for c, e in relation.bindings}


def project(relation: Relation, bindings: Bindings) -> Relation:
    """A projection, without one below it that only renames and without one that changes nothing."""
    below = renaming(relation)
    if below is not None and isinstance(relation, Project):
        old = below
        bindings = tuple((c, rename(e, old)) for c, e in bindings)
        relation = relation.input
    if isinstance(relation, Project) and all(isinstance(e, exp.Column) for _, e in bindings):
        inner = {c.name: e for c, e in relation.bindings}
        return Project(relation.input, tuple((c, inner[e.name]) for c, e in bindings))
    same = [(c.name, e.name if isinstance(e, exp.Column) else None) for c, e in bindings]
    if same == [(n, n) for n in names(relation.columns)]:
        return relation
    return Project(relation, bindings)


def rename(expression: exp.Expr, new_names: dict[str, str]) -> exp.Expr:
    """A copy of an expression over other column names."""

    def renamed(node: exp.Expr) -> exp.Expr:
        return column(new_names[node.name]) if isinstance(node, exp.Column) else node

    return expression.copy().transform(renamed, copy=False)


def rebuild(relation: Relation, inputs: tuple[Relation, ...]) -> Relation:  # noqa: C901 one case for each operator
    """The same operator over other inputs."""
    match relation:
        case Scan() | Values() | Empty():
            return relation
        case Filter(_, condition):
            return Filter(inputs[0], condition)
        case Project(_, bindings):
            return Project(inputs[0], bindings)
        case UnionAll():
            return UnionAll(inputs)
        case InnerJoin(_, on):
            return InnerJoin(inputs, on)
        case Aggregate(_, keys, aggregates):
            return Aggregate(inputs[0], keys, aggregates)
        case Explode(_, generator, produced, outer):
            return Explode(inputs[0], generator, produced, outer)
        case OuterJoin(_, _, on) | SemiJoin(_, _, on) | AntiJoin(_, _, on):
            return type(relation)(inputs[0], inputs[1], on)
        case Window(_, partition, functions):
            return Window(inputs[0], partition, functions)
        case TopK(_, keys, order, limit, offset):
            return TopK(inputs[0], keys, order, limit, offset)
        case Recursive(_, _, loop, once):
            return Recursive(inputs[0], inputs[1], loop, once)
        case Restrict(_, _, keys):
            return Restrict(inputs[0], inputs[1], keys)
        case Distinct() | Negate() | Consolidate():
            return type(relation)(inputs[0])
