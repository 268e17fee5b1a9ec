"""The delta of DISTINCT over columns whose types are not certain enough to store."""

from __future__ import annotations

from trickle.differentiate.keyed import recompute
from trickle.differentiate.rule import Change, Linearity, Rule
from trickle.query.operators import Consolidate, Distinct, Relation, names


class DistinctRowsRule(Rule[Distinct]):
    """Look every changed row up again, before and after.

    Δδ(R) = δ(R new ⋉ ΔR) − δ(R old ⋉ ΔR)

    The whole row is its own key, compared null-safe.
    """

    operator = Distinct
    linearity = Linearity.KEYED

    def old(self, node: Distinct, of: Change) -> Relation:
        return Distinct(Consolidate(of.old(node.input)))

    def new(self, node: Distinct, of: Change) -> Relation:
        return Distinct(Consolidate(of.new(node.input)))

    def delta(self, node: Distinct, of: Change) -> Relation:
        return recompute(node.input, names(node.columns), Distinct, of)
