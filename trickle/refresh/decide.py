"""Which mode a refresh takes, and why: a pure function of what is pending."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from trickle.errors import Location
from trickle.model.names import RelationName
from trickle.model.report import ChosenMode
from trickle.model.stream_table import RefreshMode
from trickle.refresh.cost import Cost

MAX_CHANGE_RATIO = 0.15
SMALL_INPUT_ROWS = 10_000


class ReasonCode(StrEnum):
    """Why a mode was chosen."""

    NO_CHANGE = "NO_CHANGE"
    """No input changed since the table's epoch."""
    INCREMENTAL = "INCREMENTAL"
    """The delta plan applies."""
    NO_BASELINE = "NO_BASELINE"
    """The table has never been refreshed."""
    DEFINITION_CHANGED = "DEFINITION_CHANGED"
    """The query, an input's columns, or the engine's version changed."""
    UPSTREAM_RESET = "UPSTREAM_RESET"
    """An input's change log no longer reaches back to the table's epoch."""
    STATE_MISSING = "STATE_MISSING"
    """The operator state the delta plan needs is not stored at the table's epoch."""
    NOT_DIFFERENTIABLE = "NOT_DIFFERENTIABLE"
    """A construct of the query has no delta rule."""
    DECLARED_FULL = "DECLARED_FULL"
    """The table is declared refresh_mode full."""
    CHANGE_RATIO = "CHANGE_RATIO"
    """So much changed that recomputing is cheaper."""
    READS_MORE = "READS_MORE"
    """The delta plan would read more than recomputing does."""
    REQUESTED = "REQUESTED"
    """`--full-refresh` was given."""
    RUNTIME_ERROR = "RUNTIME_ERROR"
    """The delta SQL failed at run time and the table was recomputed instead."""
    DAMAGED = "DAMAGED"
    """What is stored of the table contradicts itself, so that it was built anew."""
    NO_COMMON_EPOCH = "NO_COMMON_EPOCH"
    """The inputs are not available at one epoch."""
    UPSTREAM_FAILED = "UPSTREAM_FAILED"
    """An input could not be brought up to date."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason code, what it means here, and the place in the project it comes from."""

    code: ReasonCode
    text: str
    location: Location | None = None

    def __str__(self) -> str:
        where = f" at {self.location}" if self.location else ""
        return f"{self.code}: {self.text}{where}"


@dataclass(frozen=True, slots=True)
class Decision:
    """The chosen mode; None when the table must fail instead."""

    mode: ChosenMode | None
    reason: Reason


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything `decide` looks at for one table.

    `pending` counts change rows by input; None means some, not yet counted.
    """

    declared: RefreshMode
    populated: bool
    definition_changed: bool = False
    refused: Reason | None = None
    volatile: bool = False
    reset_input: RelationName | None = None
    state_missing: bool = False
    requested_full: bool = False
    pending: Mapping[RelationName, int | None] = field(default_factory=dict)
    input_rows: Mapping[RelationName, int] = field(default_factory=dict)
    cost: Cost | None = None


def decide(situation: Situation) -> Decision:
    """Choose NO_DATA, FULL or DIFFERENTIAL; nothing falls back in silence."""
    structural = _must_rebuild(situation)
    if situation.declared is RefreshMode.DIFFERENTIAL and situation.refused:
        return Decision(None, situation.refused)
    if structural:
        return Decision(ChosenMode.FULL, structural)
    if not any(_changed(situation)) and not situation.volatile:
        return Decision(ChosenMode.NO_DATA, Reason(ReasonCode.NO_CHANGE, "no input changed"))
    if situation.declared is RefreshMode.FULL:
        return Decision(ChosenMode.FULL, Reason(ReasonCode.DECLARED_FULL, "declared refresh_mode full"))
    if situation.refused:
        return Decision(ChosenMode.FULL, situation.refused)
    if situation.declared is RefreshMode.AUTO and (ratio := _too_much_changed(situation)):
        return Decision(ChosenMode.FULL, ratio)
    if situation.declared is RefreshMode.AUTO and (more := _reads_more(situation)):
        return Decision(ChosenMode.FULL, more)
    return Decision(ChosenMode.DIFFERENTIAL, _incremental(situation))


def _must_rebuild(situation: Situation) -> Reason | None:
    if situation.requested_full:
        return Reason(ReasonCode.REQUESTED, "full refresh requested")
    if not situation.populated:
        return Reason(ReasonCode.NO_BASELINE, "first refresh")
    if situation.definition_changed:
        return Reason(ReasonCode.DEFINITION_CHANGED, "the query or the columns of an input changed")
    if situation.reset_input is not None:
        return Reason(ReasonCode.UPSTREAM_RESET, f"{situation.reset_input} was rebuilt")
    if situation.state_missing and not situation.refused:
        return Reason(ReasonCode.STATE_MISSING, "operator state is not stored at the table's epoch")
    return None


def _too_much_changed(situation: Situation) -> Reason | None:
    for name, changed in situation.pending.items():
        total = situation.input_rows.get(name, 0)
        if changed is not None and changed > SMALL_INPUT_ROWS and changed > MAX_CHANGE_RATIO * total:
            share = f"{changed} changes over {total} rows of {name}"
            return Reason(ReasonCode.CHANGE_RATIO, f"{share} exceed {MAX_CHANGE_RATIO:.0%}")
    return None


def _reads_more(situation: Situation) -> Reason | None:
    """Small tables are not worth the thought; their plans cost the same to start."""
    cost = situation.cost
    if cost is None or cost.delta <= cost.full or sum(situation.input_rows.values()) <= SMALL_INPUT_ROWS:
        return None
    text = f"the delta plan would read about {cost.delta:,.0f} values, recomputing {cost.full:,.0f}"
    return Reason(ReasonCode.READS_MORE, text)


def _changed(situation: Situation) -> list[RelationName]:
    return [name for name, count in situation.pending.items() if count is None or count > 0]


def _incremental(situation: Situation) -> Reason:
    counts = ((name, situation.pending[name]) for name in _changed(situation))
    changed = ", ".join(f"{name}" if count is None else f"{name} {count}" for name, count in counts)
    return Reason(ReasonCode.INCREMENTAL, f"changed: {changed}")
