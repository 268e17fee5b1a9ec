"""The law of joins that keep rows of their left side: outer, semi and anti joins, on any condition.

With ∘ such a join and L* the rows of the new left side that match some changed row of the right:

    Δ(L ∘ R) = ΔL ∘ R old + L* ∘ R new − L* ∘ R old

It is linear in L. A row of L outside L* matches the same rows of R before and after. The right side is needed only by
the join's own key: of ΔL in the first term, of ΔR in the others.
"""

from __future__ import annotations

from trickle.differentiate.keys import equal_columns
from trickle.differentiate.rule import Change
from trickle.query.operators import (
    AntiJoin,
    Consolidate,
    Negate,
    OuterJoin,
    Relation,
    Restrict,
    SemiJoin,
    UnionAll,
    column,
    names,
)
from trickle.query.tree import project

Preserving = OuterJoin | SemiJoin | AntiJoin


def matched_again(node: Preserving, of: Change) -> Relation:
    """The delta of a join that preserves its left side."""
    equal = equal_columns(node.on, node.left.columns, node.right.columns)
    moved, changed = of.delta(node.left), of.delta(node.right)
    touched = SemiJoin(of.new(node.left), changed, node.on)
    by_left = tuple((r, left) for left, r in equal)
    by_right = tuple((r, r) for _, r in equal)
    old, new = of.old(node.right), of.new(node.right)
    return UnionAll(
        (
            type(node)(moved, _needed(old, moved, by_left), node.on),
            type(node)(touched, _needed(new, changed, by_right), node.on),
            Negate(type(node)(touched, _needed(old, changed, by_right), node.on)),
        )
    )


def _needed(right: Relation, keys_of: Relation, keys: tuple[tuple[str, str], ...]) -> Relation:
    """The right side, consolidated, as far as the keys of another relation ask for it."""
    if not keys:
        return Consolidate(right)
    wanted = {b for _, b in keys}
    by_name = {c.name: c for c in keys_of.columns}
    asked = project(keys_of, tuple((by_name[n], column(n)) for n in names(keys_of.columns) if n in wanted))
    return Consolidate(Restrict(right, asked, keys))


def at(node: Preserving, left: Relation, right: Relation) -> Relation:
    """The join itself, over one state of its inputs."""
    return type(node)(left, Consolidate(right), node.on)
