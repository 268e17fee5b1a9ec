"""The delta of UNION ALL."""

from __future__ import annotations

from trickle.differentiate.rule import Change, Linearity, Rule
from trickle.query.operators import Relation, UnionAll


class UnionAllRule(Rule[UnionAll]):
    """Unite the changes.

    Δ(Q + R) = ΔQ + ΔR
    """

    operator = UnionAll
    linearity = Linearity.LINEAR

    def delta(self, node: UnionAll, of: Change) -> Relation:
        return UnionAll(tuple(of.delta(i) for i in node.inputs))
