"""The delta of window functions."""

from __future__ import annotations

from trickle.differentiate.keyed import recompute
from trickle.differentiate.rule import Change, Linearity, Rule
from trickle.query.operators import Consolidate, Relation, Window


class WindowRule(Rule[Window]):
    """Compute every partition that a changed row belongs to again, before and after.

    Δω(R) = ω(R new ⋉ D) − ω(R old ⋉ D),  D = the partitions of ΔR

    A row that moves changes both its old and its new partition. Rows whose values stay the same cancel. Without
    PARTITION BY there is one partition, of all rows.
    """

    operator = Window
    linearity = Linearity.KEYED

    def _over(self, node: Window, rows: Relation) -> Relation:
        return Window(rows, node.partition, node.functions)

    def old(self, node: Window, of: Change) -> Relation:
        return self._over(node, Consolidate(of.old(node.input)))

    def new(self, node: Window, of: Change) -> Relation:
        return self._over(node, Consolidate(of.new(node.input)))

    def delta(self, node: Window, of: Change) -> Relation:
        return recompute(node.input, node.partition, lambda rows: self._over(node, rows), of)
