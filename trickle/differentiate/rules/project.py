"""The delta of a SELECT list."""

from __future__ import annotations

from trickle.differentiate.rule import Change, Linearity, Rule
from trickle.query.operators import Project, Relation


class ProjectRule(Rule[Project]):
    """Project the change.

    Δπ(R) = π(ΔR)

    Rows that become equal keep separate weights, so a retraction removes one of them and not all.
    """

    operator = Project
    linearity = Linearity.LINEAR

    def delta(self, node: Project, of: Change) -> Relation:
        return Project(of.delta(node.input), node.bindings)
