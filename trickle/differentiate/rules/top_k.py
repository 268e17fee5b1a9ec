"""The delta of ORDER BY with LIMIT and OFFSET."""

from __future__ import annotations

from trickle.differentiate.keyed import recompute
from trickle.differentiate.rule import Change, Linearity, Rule
from trickle.query.operators import Consolidate, Relation, TopK


class TopKRule(Rule[TopK]):
    """Take the first rows of every key that a changed row belongs to again, before and after.

    Δτ(R) = τ(R new ⋉ D) − τ(R old ⋉ D),  D = the keys of ΔR

    A row that leaves the first k lets the next one in, which only the rows themselves can tell. Ties are broken by all
    other columns, so the first k are the same rows whoever asks. Without keys there is one order, of all rows.
    """

    operator = TopK
    linearity = Linearity.TOP_K

    def _of(self, node: TopK, rows: Relation) -> Relation:
        return TopK(rows, node.keys, node.order, node.limit, node.offset)

    def old(self, node: TopK, of: Change) -> Relation:
        return self._of(node, Consolidate(of.old(node.input)))

    def new(self, node: TopK, of: Change) -> Relation:
        return self._of(node, Consolidate(of.new(node.input)))

    def delta(self, node: TopK, of: Change) -> Relation:
        return recompute(node.input, node.keys, lambda rows: self._of(node, rows), of)
