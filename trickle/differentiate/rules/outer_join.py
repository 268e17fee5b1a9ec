"""The delta of LEFT, RIGHT and FULL joins."""

from __future__ import annotations

from trickle.differentiate.preserving import at, matched_again
from trickle.differentiate.rule import Change, Linearity, Rule
from trickle.query.operators import OuterJoin, Relation


class OuterJoinRule(Rule[OuterJoin]):
    """Match the changed rows of the left side, and again those that a change on the right touches.

    Δ(L ⟕ R) = ΔL ⟕ R old + L* ⟕ R new − L* ⟕ R old,  L* = L new ⋉ ΔR

    A row that gains its first match loses its row of NULLs, one that loses its last match gains it. RIGHT is
    a LEFT join of the swapped sides; FULL is a LEFT join and the rows of the right side without a match.
    """

    operator = OuterJoin
    linearity = Linearity.PRESERVING

    def old(self, node: OuterJoin, of: Change) -> Relation:
        return at(node, of.old(node.left), of.old(node.right))

    def new(self, node: OuterJoin, of: Change) -> Relation:
        return at(node, of.new(node.left), of.new(node.right))

    def delta(self, node: OuterJoin, of: Change) -> Relation:
        return matched_again(node, of)
