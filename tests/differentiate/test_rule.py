"""The law of a rule is the line of its docstring that states it."""

from __future__ import annotations

from trickle.differentiate.rule import Change, Linearity, Rule, law
from trickle.query.operators import Distinct, Relation


class Stated(Rule[Distinct]):
    """Says what it does.

    Δδ(R) = nothing of the kind

    And why.
    """

    operator = Distinct
    linearity = Linearity.LINEAR

    def delta(self, node: Distinct, of: Change) -> Relation:
        return of.delta(node.input)


class Unstated(Rule[Distinct]):
    operator = Distinct
    linearity = Linearity.LINEAR

    def delta(self, node: Distinct, of: Change) -> Relation:
        return of.delta(node.input)


def test_the_law_is_the_line_that_begins_with_a_delta() -> None:
    assert law(Stated()) == "Δδ(R) = nothing of the kind"


def test_a_rule_that_states_nothing_has_no_law() -> None:
    assert law(Unstated()) == ""
