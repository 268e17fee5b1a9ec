"""The delta of SEMI joins, IN and EXISTS."""

from __future__ import annotations

from trickle.differentiate.preserving import at, matched_again
from trickle.differentiate.rule import Change, Linearity, Rule
from trickle.query.operators import Relation, SemiJoin


class SemiJoinRule(Rule[SemiJoin]):
    """Keep the changed rows that match, and look again at those that a change on the right touches.

    Δ(L ⋉ R) = ΔL ⋉ R old + L* ⋉ R new − L* ⋉ R old,  L* = L new ⋉ ΔR

    A row whose number of matches changes without reaching zero is added and taken away alike, which cancels.
    """

    operator = SemiJoin
    linearity = Linearity.PRESERVING

    def old(self, node: SemiJoin, of: Change) -> Relation:
        return at(node, of.old(node.left), of.old(node.right))

    def new(self, node: SemiJoin, of: Change) -> Relation:
        return at(node, of.new(node.left), of.new(node.right))

    def delta(self, node: SemiJoin, of: Change) -> Relation:
        return matched_again(node, of)
