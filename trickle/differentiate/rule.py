"""What a delta rule is: three renderings of one operator, built from the renderings of its inputs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import StrEnum
from typing import ClassVar, Generic, Protocol, TypeVar

from trickle.differentiate.accumulate import Accumulator
from trickle.query.operators import Relation
from trickle.query.tree import rebuild

R = TypeVar("R", bound=Relation)
R_contra = TypeVar("R_contra", bound=Relation, contravariant=True)


class Linearity(StrEnum):
    """How an operator answers to the sum of two Z-sets."""

    LINEAR = "linear"
    """The operator applied to the delta is the delta."""
    BILINEAR = "bilinear"
    """Linear in each input."""
    ACCUMULATED = "accumulator"
    """Linear up to a last step; stored sums make it cost what changed."""
    PRESERVING = "linear in the preserved side"
    """Linear in the left input; left rows that a change on the right touches are matched again."""
    KEYED = "keyed recompute"
    """Not linear, but each key stands alone: changed keys are computed again."""
    TOP_K = "top-k"
    """The first rows of each key are taken again, before and after."""
    RECURSIVE = "recursive"
    """The loop is run again, before and after."""
    CONSTANT = "constant"
    """It never changes."""


class Change(Protocol):
    """One interval, as rules see it."""

    def old(self, node: Relation) -> Relation:
        """The relation before the interval."""
        ...

    def new(self, node: Relation) -> Relation:
        """The relation after the interval."""
        ...

    def delta(self, node: Relation) -> Relation:
        """`new - old`."""
        ...

    def accumulator(self, node: Relation) -> Accumulator:
        """The stored sums of a node whose rule keeps them."""
        ...


class Rule(ABC, Generic[R]):
    """The delta of one operator; the docstring of each rule states its law."""

    operator: ClassVar[type[Relation]]
    linearity: ClassVar[Linearity]

    def applies(self, node: R) -> bool:  # noqa: ARG002 the general rule of an operator takes every node
        """Whether this rule covers the node; of several the first that does is taken."""
        return True

    def accumulates(self, node: R) -> Accumulator | None:  # noqa: ARG002 most rules keep nothing
        """What the rule stores for the node, not yet named."""
        return None

    def old(self, node: R, of: Change) -> Relation:
        return rebuild(node, tuple(of.old(i) for i in node.inputs))

    def new(self, node: R, of: Change) -> Relation:
        return rebuild(node, tuple(of.new(i) for i in node.inputs))

    @abstractmethod
    def delta(self, node: R, of: Change) -> Relation: ...


def law(rule: Rule[Relation] | type[Rule[Relation]]) -> str:
    """The line of a rule's docstring that states its law."""
    lines = [line.strip() for line in (rule.__doc__ or "").splitlines()]
    return next((line for line in lines if line.startswith("Δ")), "")
