"""The delta of inner, cross and theta joins."""

from __future__ import annotations

from trickle.differentiate.rule import Change, Linearity, Rule
from trickle.query.operators import InnerJoin, Relation, UnionAll


class InnerJoinRule(Rule[InnerJoin]):
    """Join each input's change with the others' state: those before it new, those after it old.

    Δ(R₁ ⋈ … ⋈ Rₙ) = Σᵢ R₁ new ⋈ … ⋈ Rᵢ₋₁ new ⋈ ΔRᵢ ⋈ Rᵢ₊₁ old ⋈ … ⋈ Rₙ old

    Each combination of changed rows is counted exactly once, in n terms; terms whose change is empty vanish.
    """

    operator = InnerJoin
    linearity = Linearity.BILINEAR

    def delta(self, node: InnerJoin, of: Change) -> Relation:
        return UnionAll(tuple(self._term(node, i, of) for i in range(len(node.inputs))))

    def _term(self, node: InnerJoin, changed: int, of: Change) -> Relation:
        before = tuple(of.new(i) for i in node.inputs[:changed])
        after = tuple(of.old(i) for i in node.inputs[changed + 1 :])
        return InnerJoin((*before, of.delta(node.inputs[changed]), *after), node.on)
