"""The delta of a stored relation."""

from __future__ import annotations

from dataclasses import replace

from trickle.differentiate.rule import Change, Linearity, Rule
from trickle.query.operators import Consolidate, Relation, Scan, Version


class ScanRule(Rule[Scan]):
    """Read the change buffer, with rows that came and went cancelled.

    Δscan(R) = consolidate(changes of R in the interval)

    A row changed several times in one interval counts only as what it was and what it became.
    """

    operator = Scan
    linearity = Linearity.LINEAR

    def old(self, node: Scan, of: Change) -> Relation:  # noqa: ARG002 a scan has no inputs
        return replace(node, version=Version.OLD)

    def new(self, node: Scan, of: Change) -> Relation:  # noqa: ARG002 a scan has no inputs
        return replace(node, version=Version.NEW)

    def delta(self, node: Scan, of: Change) -> Relation:  # noqa: ARG002 a scan has no inputs
        return Consolidate(replace(node, version=Version.DELTA))
