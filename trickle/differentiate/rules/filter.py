"""The delta of WHERE and HAVING."""

from __future__ import annotations

from trickle.differentiate.rule import Change, Linearity, Rule
from trickle.query.operators import Filter, Relation


class FilterRule(Rule[Filter]):
    """Filter the change.

    Δσ(R) = σ(ΔR)

    An updated row that leaves the predicate passes only as its retraction, one that enters only as its insertion.
    """

    operator = Filter
    linearity = Linearity.LINEAR

    def delta(self, node: Filter, of: Change) -> Relation:
        return Filter(of.delta(node.input), node.condition)
