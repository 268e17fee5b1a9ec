"""The delta of rows that the query itself writes down."""

from __future__ import annotations

from trickle.differentiate.rule import Change, Linearity, Rule
from trickle.query.operators import Empty, Relation, Values


class ValuesRule(Rule[Values]):
    """Nothing changes.

    Δvalues = 0
    """

    operator = Values
    linearity = Linearity.CONSTANT

    def delta(self, node: Values, of: Change) -> Relation:  # noqa: ARG002 constants have no inputs
        return Empty(node.columns)
