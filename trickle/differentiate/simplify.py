"""Drop from a delta plan whatever an interval without changes in some relations makes empty."""

from __future__ import annotations

from dataclasses import replace

from trickle.differentiate.plan import DeltaPlan, StateUpdate
from trickle.model.names import Name
from trickle.query.operators import (
    Aggregate,
    AntiJoin,
    Empty,
    Negate,
    OuterJoin,
    Project,
    Recursive,
    Relation,
    Scan,
    UnionAll,
    Values,
    Version,
    column,
    nulls,
)
from trickle.query.tree import rewrite


def prune(relation: Relation, unchanged: frozenset[Name]) -> Relation:
    """The same rows, given that these stored relations have no changes in the interval."""
    scans: dict[Scan, Relation] = {}

    def step(node: Relation) -> Relation:
        if isinstance(node, Scan):
            return scans.setdefault(node, _scan(node, unchanged))
        return _without_empties(node)

    return rewrite(relation, step)


def _without_empties(node: Relation) -> Relation:
    match node:
        case UnionAll():
            return _union(node)
        case OuterJoin() | AntiJoin():
            return _unmatched(node)
        case Recursive():
            return Empty(node.columns) if isinstance(node.base, Empty) else node
        case Aggregate():
            return Empty(node.columns) if node.keys and isinstance(node.input, Empty) else node
        case Scan() | Values() | Empty():
            return node
        case _:
            return Empty(node.columns) if any(isinstance(i, Empty) for i in node.inputs) else node


def _unmatched(join: OuterJoin | AntiJoin) -> Relation:
    """Without rows on the right, every row on the left is without a match."""
    if isinstance(join.left, Empty):
        return Empty(join.columns)
    if not isinstance(join.right, Empty):
        return join
    if isinstance(join, AntiJoin):
        return join.left
    return Project(join.left, (*((c, column(c.name)) for c in join.left.columns), *nulls(join.right.columns)))


def _scan(scan: Scan, unchanged: frozenset[Name]) -> Relation:
    if scan.source not in unchanged:
        return scan
    return Empty(scan.columns) if scan.version is Version.DELTA else replace(scan, version=Version.NEW)


def _union(union: UnionAll) -> Relation:
    """Without empty inputs, and without a relation that is added and subtracted."""
    kept: list[Relation] = []
    for source in union.inputs:
        opposite = source.input if isinstance(source, Negate) else Negate(source)
        if opposite in kept:
            kept.remove(opposite)
        elif not isinstance(source, Empty):
            kept.append(source)
    if not kept:
        return Empty(union.columns)
    return kept[0] if len(kept) == 1 else UnionAll(tuple(kept))


def prune_plan(plan: DeltaPlan, unchanged: frozenset[Name]) -> DeltaPlan:
    """The plan for an interval in which these relations have no changes; a state without changes counts as one."""
    states: list[StateUpdate] = []
    for update in plan.states:
        delta = prune(update.delta, unchanged)
        if isinstance(delta, Empty):
            unchanged |= {update.state.name}
        states.append(replace(update, delta=delta))
    return replace(plan, states=tuple(states), delta=prune(plan.delta, unchanged))
