"""The delta of WITH RECURSIVE."""

from __future__ import annotations

from trickle.differentiate.rule import Change, Linearity, Rule
from trickle.query.operators import Negate, Recursive, Relation, UnionAll


class RecursiveRule(Rule[Recursive]):
    """Run the loop again, before and after, and take the difference.

    Δμ(B, S) = μ(B new, S new) − μ(B old, S old)

    A row that loses one way to be reached may have another, which only the loop can tell. Rows that are still reached
    cancel, so that what comes after sees just the rows that came or went.
    """

    operator = Recursive
    linearity = Linearity.RECURSIVE

    def delta(self, node: Recursive, of: Change) -> Relation:
        return UnionAll((of.new(node), Negate(of.old(node))))
