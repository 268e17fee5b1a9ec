"""An operator tree to its delta plan: each node by the first rule that covers it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from trickle.differentiate.plan import DeltaPlan, StateTable, StateUpdate
from trickle.differentiate.restrict import restrict
from trickle.differentiate.rule import Rule, State
from trickle.differentiate.rules.aggregate import AggregateRule
from trickle.differentiate.rules.anti_join import AntiJoinRule
from trickle.differentiate.rules.distinct import DistinctRule
from trickle.differentiate.rules.distinct_rows import DistinctRowsRule
from trickle.differentiate.rules.explode import ExplodeRule
from trickle.differentiate.rules.extremum import ExtremumRule
from trickle.differentiate.rules.filter import FilterRule
from trickle.differentiate.rules.group import GroupRule
from trickle.differentiate.rules.inner_join import InnerJoinRule
from trickle.differentiate.rules.outer_join import OuterJoinRule
from trickle.differentiate.rules.project import ProjectRule
from trickle.differentiate.rules.recursive import RecursiveRule
from trickle.differentiate.rules.scan import ScanRule
from trickle.differentiate.rules.semi_join import SemiJoinRule
from trickle.differentiate.rules.top_k import TopKRule
from trickle.differentiate.rules.union_all import UnionAllRule
from trickle.differentiate.rules.values import ValuesRule
from trickle.differentiate.rules.window import WindowRule
from trickle.model.names import RelationName, StateName
from trickle.query.operators import Consolidate, Empty, Negate, Relation, Restrict

__all__ = [
    "RULES",
    "UNDIFFERENTIATED",
    "DeltaPlan",
    "Interval",
    "StateTable",
    "StateUpdate",
    "differentiate",
    "rule_for",
]

RULES: tuple[Rule[Any], ...] = (
    ScanRule(),
    ValuesRule(),
    FilterRule(),
    ProjectRule(),
    UnionAllRule(),
    ExplodeRule(),
    InnerJoinRule(),
    OuterJoinRule(),
    SemiJoinRule(),
    AntiJoinRule(),
    AggregateRule(),
    ExtremumRule(),
    GroupRule(),
    DistinctRule(),
    DistinctRowsRule(),
    WindowRule(),
    TopKRule(),
    RecursiveRule(),
)

UNDIFFERENTIATED: dict[type[Relation], str] = {
    Negate: "it appears only in delta plans",
    Consolidate: "it appears only in delta plans",
    Restrict: "it appears only in delta plans",
    Empty: "it appears only in simplified delta plans",
}
"""Operators without a rule, and why they need none."""


def rule_for(node: Relation) -> Rule[Any]:
    """The first rule that covers a node."""
    for rule in RULES:
        if isinstance(node, rule.operator) and rule.applies(node):
            return rule
    raise ValueError(f"no rule for {type(node).__name__}: {UNDIFFERENTIATED.get(type(node), 'it is not known')}")


class Interval:
    """Answers rules about one interval, and remembers which nodes keep state."""

    def __init__(self, table: RelationName) -> None:
        self._table = table
        self._accumulators: dict[Relation, State] = {}
        self._known: dict[tuple[str, Relation], Relation] = {}
        self.states: list[StateUpdate] = []

    def _render(self, which: str, node: Relation) -> Relation:
        self._keep_state(node)
        if (which, node) not in self._known:
            rule = rule_for(node)
            rendering = {"old": rule.old, "new": rule.new, "delta": rule.delta}[which]
            self._known[which, node] = rendering(node, self)
        return self._known[which, node]

    def _keep_state(self, node: Relation) -> None:
        wanted = rule_for(node).accumulates(node)
        if wanted is None or node in self._accumulators:
            return
        source = node.inputs[0]
        new_rows, changes = self.new(source), self.delta(source)
        named = wanted.named(StateName(self._table, f"{wanted.kind}_{len(self.states) + 1}"))
        self._accumulators[node] = named
        update = named.update(new_rows, changes)
        self.states.append(replace(update, delta=restrict(update.delta)))

    def old(self, node: Relation) -> Relation:
        return self._render("old", node)

    def new(self, node: Relation) -> Relation:
        return self._render("new", node)

    def delta(self, node: Relation) -> Relation:
        return self._render("delta", node)

    def accumulator(self, node: Relation) -> State:
        return self._accumulators[node]


def differentiate(tree: Relation, table: RelationName) -> DeltaPlan:
    """The delta plan of a stream table's query."""
    interval = Interval(table)
    delta, result = interval.delta(tree), Consolidate(interval.new(tree))
    return DeltaPlan(table, tree, tuple(interval.states), restrict(delta), result)
