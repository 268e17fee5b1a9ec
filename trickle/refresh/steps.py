"""A refresh as data: the ordered steps that `run` executes and `explain` prints.

The order is what makes a crash harmless. State is written before the deciding commit and ignored until that
exists; the deciding commit is the table's own change log (or, without a baseline, its first table commit); folding
afterwards only materialises what is already true.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from trickle.differentiate.narrow import narrow
from trickle.differentiate.plan import DeltaPlan, StateTable
from trickle.differentiate.simplify import prune_plan
from trickle.differentiate.stages import staged
from trickle.model.names import LoopName, Name, RelationName, StageName
from trickle.model.ports import Loop, Stage
from trickle.model.stream_table import RefreshMode
from trickle.query.emit import emit, repeated_sql, view_name, weight_name
from trickle.query.estimate import Estimate
from trickle.query.operators import Empty, Recursive, Relation, Scan, Version, Within
from trickle.query.tree import walk
from trickle.query.types import FLOATS
from trickle.refresh.compiled import CompiledTable


@dataclass(frozen=True, slots=True)
class Read:
    """A stored relation as a statement reads it: as weighted rows of a version, or as plain rows."""

    name: Name
    version: Version | None = None
    within: Within | None = None

    @property
    def view(self) -> str:
        return view_name(self.name, self.version, self.within)


@dataclass(frozen=True, slots=True)
class Statement:
    """One SQL query, the relations it reads, and stages computed before it, in order.

    `weight` names its weight column, empty when it yields plain rows.
    """

    title: str
    sql: str
    reads: tuple[Read, ...]
    weight: str = ""
    stages: tuple[Stage | Loop, ...] = ()

    @property
    def loops(self) -> tuple[Loop, ...]:
        """The recursions among the stages."""
        return tuple(stage for stage in self.stages if isinstance(stage, Loop))


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
class DropState:
    """Forget one operator's state: a table declared FULL does not move it on, and stale state would be wrong later."""

    state: StateTable


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


Step = AppendState | RestartState | DropState | CommitDelta | CommitNoChange | CommitDifference | CommitBaseline | Fold


def differential_steps(
    compiled: CompiledTable, unchanged: frozenset[Name], estimate: Estimate | None = None
) -> tuple[Step, ...]:
    """The steps of a DIFFERENTIAL refresh; terms over unchanged inputs vanish."""
    if compiled.plan is None:
        raise ValueError(f"{compiled.name} has no delta plan")
    plan = prune_plan(compiled.plan, unchanged)
    steps: list[Step] = [
        AppendState(update.state, _changes(f"state {update.state.name.node}", update.delta, compiled.name, estimate))
        for update in plan.states
        if not isinstance(update.delta, Empty)
    ]
    if isinstance(plan.delta, Empty):
        return (*steps, CommitNoChange())
    return (*steps, CommitDelta(_changes("delta", plan.delta, compiled.name, estimate)), Fold())


def full_steps(compiled: CompiledTable, *, baseline: bool) -> tuple[Step, ...]:
    """The steps of a FULL refresh: with a baseline it writes its own difference, without it begins the table."""
    plan = compiled.plan
    keeps = compiled.table.refresh_mode is not RefreshMode.FULL
    states = _state_steps(plan, keeps=keeps) if plan else ()
    result = _stored(plan) if plan and keeps and _inexact(plan) else _canonical(compiled)
    if baseline:
        return (*states, CommitDifference(result))
    return (*states, CommitBaseline(result))


def _state_steps(plan: DeltaPlan, *, keeps: bool) -> tuple[Step, ...]:
    if not keeps:
        return tuple(DropState(update.state) for update in plan.states)
    return tuple(
        RestartState(update.state, _changes(f"state {update.state.name.node}", update.baseline, plan.table))
        for update in plan.states
    )


def _inexact(plan: DeltaPlan) -> bool:
    """Whether stored results hold floats, which two computations may not agree on to the last digit."""
    return any(c.type in FLOATS for update in plan.states for c in update.state.schema.columns)


def _stored(plan: DeltaPlan) -> Statement:
    """The whole table from the states just stored, so that what is taken back later is what was given."""
    weighted = _changes("result", plan.result, plan.table)
    return replace(weighted, sql=repeated_sql(plan.result, weighted.weight))


def _canonical(compiled: CompiledTable) -> Statement:
    reads = tuple(Read(name) for name in sorted(compiled.query.inputs))
    return Statement("result", compiled.full.sql, reads, stages=compiled.full.loops)


def _changes(title: str, relation: Relation, table: RelationName, known: Estimate | None = None) -> Statement:
    """A statement over changes: what it needs twice is a stage, and stored rows are read by the keys of changes."""
    parts = staged(relation, table)
    whole = narrow(parts.relation)
    narrowed = [(name, narrow(part)) for name, part in parts.stages]
    weight = weight_name([whole, *(part for _, part in narrowed)])
    estimate = replace(known, stages={}) if known else Estimate()
    stages = tuple(_stage(name, part, weight, estimate) for name, part in narrowed)
    read = dict.fromkeys(r for part in (*(part for _, part in narrowed), whole) for r in _reads(part))
    return Statement(title, emit(whole, weight, estimate), tuple(read), weight, stages)


def _stage(name: StageName, part: Relation, weight: str, estimate: Estimate) -> Stage | Loop:
    """A stage as SQL; a recursion as the SQL of its base and of its step."""
    view, reads = view_name(name, Version.DELTA), tuple(r.view for r in _reads(part))
    if not isinstance(part, Recursive):
        sql = emit(part, weight, estimate)
        estimate.stages[name] = estimate.of(part)
        return Stage(view, sql, reads)
    last = next(n for n in walk(part.step) if isinstance(n, Scan) and n.source == part.loop)
    step = emit(part.step, weight)
    return Loop(view, emit(part.base, weight), step, view_name(last.source, last.version), part.once, reads, weight)


def _reads(relation: Relation) -> tuple[Read, ...]:
    found = {
        Read(node.source, node.version, node.within)
        for node in walk(relation)
        if isinstance(node, Scan) and not isinstance(node.source, StageName | LoopName)
    }
    return tuple(sorted(found, key=lambda read: read.view))
