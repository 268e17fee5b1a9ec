"""The delta of DISTINCT and UNION, by counting."""

from __future__ import annotations

from sqlglot import exp

from trickle.differentiate.accumulate import ROWS, Accumulator, countable
from trickle.differentiate.rule import Change, Linearity, Rule
from trickle.model.schema import Column
from trickle.query.operators import Distinct, Project, Relation, Version, column


class DistinctRule(Rule[Distinct]):
    """Keep how often each row occurs; a row comes with its first occurrence and goes with its last.

    Δδ(R) = δ(S ⋉ D + D) − δ(S ⋉ D),  D = how often each row of ΔR came or went, added to S

    A row whose count changes without reaching zero is retracted and inserted alike, which cancels.
    """

    operator = Distinct
    linearity = Linearity.ACCUMULATED

    def applies(self, node: Distinct) -> bool:
        return countable(node.columns)

    def accumulates(self, node: Distinct) -> Accumulator:
        keys = tuple((Column(f"k{i}", c.type), c.name) for i, c in enumerate(node.columns))
        return Accumulator("distinct", keys, ((ROWS, exp.Count(this=exp.Star())),))

    def _rows(self, node: Distinct, version: Version, of: Change) -> Relation:
        stored = (column(f"k{i}") for i in range(len(node.columns)))
        return Project(of.accumulator(node).rows(version), tuple(zip(node.columns, stored, strict=True)))

    def old(self, node: Distinct, of: Change) -> Relation:
        return self._rows(node, Version.OLD, of)

    def new(self, node: Distinct, of: Change) -> Relation:
        return self._rows(node, Version.NEW, of)

    def delta(self, node: Distinct, of: Change) -> Relation:
        return self._rows(node, Version.DELTA, of)
