"""A refresh as data: the ordered steps that `run` executes and `explain` prints.

The order is what makes a crash harmless. State is written before the deciding commit and ignored until that
exists; the deciding commit is the table's own change log (or, without a baseline, its first table commit); folding
afterwards only materialises what is already true.
"""

from __future__ import annotations

from dataclasses import dataclass

from trickle.differentiate.plan import DeltaPlan, StateTable
from trickle.differentiate.simplify import prune_plan
from trickle.model.names import Name
from trickle.query.emit import emit, view_name, weight_name
from trickle.query.operators import Empty, Relation, Version
from trickle.query.tree import scans
from trickle.refresh.compiled import CompiledTable


@dataclass(frozen=True, slots=True)
class Statement:
    """One SQL query and the views it reads; `weight` names its weight column, empty when it yields plain rows."""

    title: str
    sql: str
    reads: tuple[tuple[Name, Version | None], ...]
    weight: str = ""


@dataclass(frozen=True, slots=True)
class AppendState:
    """Append the change of one operator's state to its log."""

    state: StateTable
    statement: Statement


@dataclass(frozen=True, slots=True)
class RestartState:
    """Compute one operator's state from scratch."""

    state: StateTable
    statement: Statement


@dataclass(frozen=True, slots=True)
class CommitDelta:
    """Run the delta SQL and commit it to the table's change log: the deciding commit."""

    statement: Statement


@dataclass(frozen=True, slots=True)
class CommitNoChange:
    """Record the epoch: the inputs changed, but no change can reach the result."""


@dataclass(frozen=True, slots=True)
class CommitDifference:
    """Recompute, commit the difference from the stored rows to the change log (which decides), then the result."""

    statement: Statement


@dataclass(frozen=True, slots=True)
class CommitBaseline:
    """Compute the table from scratch, with an empty change log."""

    statement: Statement


@dataclass(frozen=True, slots=True)
class Fold:
    """Bring the readable table up to its change log."""


Step = AppendState | RestartState | CommitDelta | CommitNoChange | CommitDifference | CommitBaseline | Fold


def differential_steps(compiled: CompiledTable, unchanged: frozenset[Name]) -> tuple[Step, ...]:
    """The steps of a DIFFERENTIAL refresh; terms over unchanged inputs vanish."""
    if compiled.plan is None:
        raise ValueError(f"{compiled.name} has no delta plan")
    plan = prune_plan(compiled.plan, unchanged)
    steps: list[Step] = [
        AppendState(update.state, _statement(f"state {update.state.name.node}", update.delta))
        for update in plan.states
        if not isinstance(update.delta, Empty)
    ]
    if isinstance(plan.delta, Empty):
        return (*steps, CommitNoChange())
    return (*steps, CommitDelta(_statement("delta", plan.delta)), Fold())


def full_steps(compiled: CompiledTable, *, baseline: bool) -> tuple[Step, ...]:
    """The steps of a FULL refresh: with a baseline it writes its own difference, without it begins the table."""
    plan = compiled.plan
    states = _state_steps(plan) if plan else ()
    result = _canonical(compiled)
    if baseline:
        return (*states, CommitDifference(result))
    return (*states, CommitBaseline(result))


def _state_steps(plan: DeltaPlan) -> tuple[Step, ...]:
    return tuple(
        RestartState(update.state, _statement(f"state {update.state.name.node}", update.baseline))
        for update in plan.states
    )


def _canonical(compiled: CompiledTable) -> Statement:
    reads = tuple((name, None) for name in sorted(compiled.query.inputs))
    return Statement("result", compiled.full_sql, reads)


def _statement(title: str, relation: Relation) -> Statement:
    weight = weight_name([relation])
    reads = tuple(sorted(scans(relation), key=lambda scan: view_name(*scan)))
    return Statement(title, emit(relation, weight), reads, weight)
