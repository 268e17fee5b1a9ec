"""The delta of MIN, MAX and of every aggregate that is no exact sum."""

from __future__ import annotations

from sqlglot import exp

from trickle.differentiate.accumulate import countable
from trickle.differentiate.results import Results
from trickle.differentiate.rule import Change, Linearity, Rule
from trickle.query.operators import Aggregate, Relation, Version


class ExtremumRule(Rule[Aggregate]):
    """Compute every group that a changed row belongs to again, and take back what was stored for it.

    Δγ(R) = γ(R new ⋉ D) − S ⋉ D,  D = the groups of ΔR, S = the stored groups

    Keys match null-safe. A float sum kept additively would drift; computed again it is what a query from scratch gives.
    Without GROUP BY there is one group, of all rows.
    """

    operator = Aggregate
    linearity = Linearity.STORED

    def applies(self, node: Aggregate) -> bool:
        return countable(node.columns) and all(isinstance(e, exp.Column) for _, e in node.keys)

    def accumulates(self, node: Aggregate) -> Results:
        keys = tuple((e.name, c.name) for c, e in node.keys)
        return Results("groups", node.columns, keys, lambda rows: Aggregate(rows, node.keys, node.aggregates))

    def old(self, node: Aggregate, of: Change) -> Relation:
        return of.accumulator(node).rows(Version.OLD)

    def new(self, node: Aggregate, of: Change) -> Relation:
        return of.accumulator(node).rows(Version.NEW)

    def delta(self, node: Aggregate, of: Change) -> Relation:
        return of.accumulator(node).rows(Version.DELTA)
