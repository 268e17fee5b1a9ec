"""The delta of ANTI joins, NOT IN and NOT EXISTS."""

from __future__ import annotations

from trickle.differentiate.preserving import at, matched_again
from trickle.differentiate.rule import Change, Linearity, Rule
from trickle.query.operators import AntiJoin, Relation


class AntiJoinRule(Rule[AntiJoin]):
    """Keep the changed rows that do not match, and look again at those that a change on the right touches.

    Δ(L ▷ R) = ΔL ▷ R old + L* ▷ R new − L* ▷ R old,  L* = L new ⋉ ΔR

    A row leaves with its first match and comes back with the loss of its last.
    """

    operator = AntiJoin
    linearity = Linearity.PRESERVING

    def old(self, node: AntiJoin, of: Change) -> Relation:
        return at(node, of.old(node.left), of.old(node.right))

    def new(self, node: AntiJoin, of: Change) -> Relation:
        return at(node, of.new(node.left), of.new(node.right))

    def delta(self, node: AntiJoin, of: Change) -> Relation:
        return matched_again(node, of)
