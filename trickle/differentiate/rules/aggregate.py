"""The delta of COUNT, SUM and AVG over exact types."""

from __future__ import annotations

from sqlglot import exp

from trickle.differentiate.accumulate import Accumulator, countable, measures_of
from trickle.differentiate.rule import Change, Linearity, Rule
from trickle.model.schema import Column
from trickle.query.emit.aggregate import linear
from trickle.query.operators import Aggregate, Project, Relation, Version, column


class AggregateRule(Rule[Aggregate]):
    """Keep counts and exact sums of every group; add those of the change, and read results from them.

    Δγ(R) = γ(S ⋉ D + D) − γ(S ⋉ D),  D = counts and sums of ΔR by group, added to S

    Costs what changed: no row of R is read again. A group whose count falls to zero is gone; a group without values
    but with rows sums to NULL. A global aggregate is one group that stays.
    """

    operator = Aggregate
    linearity = Linearity.ACCUMULATED

    def applies(self, node: Aggregate) -> bool:
        keyed = countable(c for c, _ in node.keys) and all(isinstance(e, exp.Column) for _, e in node.keys)
        return keyed and all(linear(node, function) for _, function in node.aggregates)

    def accumulates(self, node: Aggregate) -> Accumulator:
        keys = tuple((Column(f"k{i}", c.type), e.name) for i, (c, e) in enumerate(node.keys))
        return Accumulator("aggregate", keys, measures_of(node)[0])

    def _finish(self, node: Aggregate, version: Version, of: Change) -> Relation:
        keys = [(c, column(f"k{i}")) for i, (c, _) in enumerate(node.keys)]
        return Project(of.accumulator(node).rows(version), (*keys, *measures_of(node)[1]))

    def old(self, node: Aggregate, of: Change) -> Relation:
        return self._finish(node, Version.OLD, of)

    def new(self, node: Aggregate, of: Change) -> Relation:
        return self._finish(node, Version.NEW, of)

    def delta(self, node: Aggregate, of: Change) -> Relation:
        return self._finish(node, Version.DELTA, of)
