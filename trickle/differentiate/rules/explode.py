"""The delta of LATERAL VIEW and of functions that yield rows."""

from __future__ import annotations

from trickle.differentiate.rule import Change, Linearity, Rule
from trickle.query.operators import Explode, Relation


class ExplodeRule(Rule[Explode]):
    """Unfold the change.

    Δ(R × f(R)) = ΔR × f(ΔR)

    What a row yields depends on that row alone, so a retracted row takes away just what it had yielded.
    """

    operator = Explode
    linearity = Linearity.LINEAR

    def delta(self, node: Explode, of: Change) -> Relation:
        return Explode(of.delta(node.input), node.generator, node.produced, node.outer)
