"""The delta of aggregates whose types are not certain enough to store."""

from __future__ import annotations

from sqlglot import exp

from trickle.differentiate.keyed import recompute
from trickle.differentiate.rule import Change, Linearity, Rule
from trickle.query.operators import Aggregate, Consolidate, Relation


class GroupRule(Rule[Aggregate]):
    """Compute every group that a changed row belongs to again, before and after.

    Δγ(R) = γ(R new ⋉ D) − γ(R old ⋉ D),  D = the groups of ΔR

    Keys match null-safe. Without GROUP BY there is one group, of all rows.
    """

    operator = Aggregate
    linearity = Linearity.KEYED

    def _over(self, node: Aggregate, rows: Relation) -> Relation:
        return Aggregate(rows, node.keys, node.aggregates)

    def old(self, node: Aggregate, of: Change) -> Relation:
        return self._over(node, Consolidate(of.old(node.input)))

    def new(self, node: Aggregate, of: Change) -> Relation:
        return self._over(node, Consolidate(of.new(node.input)))

    def delta(self, node: Aggregate, of: Change) -> Relation:
        keys = tuple(e.name for _, e in node.keys if isinstance(e, exp.Column))
        return recompute(node.input, keys, lambda rows: self._over(node, rows), of)
