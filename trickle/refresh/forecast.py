"""What a run would do now: the answer of `trickle plan`."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass

from trickle.model.names import RelationName
from trickle.model.ports import Lake
from trickle.model.report import ChosenMode, PlanReport, TablePlan
from trickle.model.schema import TableSchema
from trickle.model.stream_table import StreamTable
from trickle.refresh.compiled import CompiledTable, compile_table
from trickle.refresh.decide import Decision, decide
from trickle.refresh.horizon import last_sealed
from trickle.refresh.situation import Facts


@dataclass(frozen=True, slots=True)
class Waiting:
    """Change rows of each source that no cut has taken yet; None means that it would be copied."""

    rows: Mapping[RelationName, int | None]


@dataclass(frozen=True, slots=True)
class _Outlook:
    """One table's decision, the facts and the pending rows behind it."""

    facts: Facts
    decision: Decision
    pending: Mapping[RelationName, int | None]


class Forecast:
    """Goes through the tables in dependency order, carrying what each would become."""

    def __init__(self, lake: Lake | None, sources: Mapping[RelationName, TableSchema], waiting: Waiting) -> None:
        self._lake = lake
        self._schemas: dict[RelationName, TableSchema] = dict(sources)
        self._waiting = waiting
        self._outlooks: dict[RelationName, _Outlook] = {}

    def report(self, tables: Iterable[StreamTable]) -> PlanReport:
        """The plan of every table, in order."""
        epoch = last_sealed(self._lake.cuts()) if self._lake else 0
        return PlanReport(epoch, tuple(self._plan(table, epoch) for table in tables))

    def compile(self, tables: Iterable[StreamTable]) -> dict[RelationName, CompiledTable]:
        """Every table compiled against what is known; raises ProjectError for the first that is wrong."""
        return {table.name: self._look(table, 0, full_refresh=False).facts.compiled for table in tables}

    def needs_new_epoch(self, tables: Iterable[StreamTable], chosen: Container[RelationName], *, full: bool) -> bool:
        """Whether a chosen table must be rebuilt although no source may have changed; `full` asks for all of them."""
        epoch = last_sealed(self._lake.cuts()) if self._lake else 0
        outlooks = [(t.name, self._look(t, epoch, full_refresh=full and t.name in chosen)) for t in tables]
        return any(
            look.decision.mode is ChosenMode.FULL and look.facts.stored and look.facts.stored.epoch >= epoch
            for name, look in outlooks
            if name in chosen
        )

    def _plan(self, table: StreamTable, epoch: int) -> TablePlan:
        look = self._look(table, epoch, full_refresh=False)
        reason = look.decision.reason
        return TablePlan(
            name=table.name.table,
            declared_mode=str(table.refresh_mode),
            mode=look.decision.mode,
            reason=str(reason),
            location=reason.location or table.location,
            pending_rows={str(name): count for name, count in look.pending.items()},
            upstream=tuple(str(name) for name in table.inputs),
        )

    def _look(self, table: StreamTable, epoch: int, *, full_refresh: bool) -> _Outlook:
        compiled = compile_table(table, self._schemas)
        facts = Facts.gather(self._lake, compiled) if self._lake else Facts(compiled, None, {}, states_stored=True)
        pending = self._pending(compiled, facts, epoch)
        decision = decide(facts.situation(pending, requested_full=full_refresh))
        current = facts.stored and facts.stored.fingerprint == compiled.fingerprint
        self._schemas[table.name] = facts.stored.schema if facts.stored and current else _declared(compiled)
        look = _Outlook(facts, decision, pending)
        self._outlooks[table.name] = look
        return look

    def _pending(self, compiled: CompiledTable, facts: Facts, epoch: int) -> dict[RelationName, int | None]:
        stored = facts.pending(epoch)
        return {name: self._add(stored.get(name, 0), name) for name in sorted(compiled.query.inputs)}

    def _add(self, stored: int | None, name: RelationName) -> int | None:
        upstream = self._outlooks.get(name)
        if upstream is not None:
            idle = upstream.decision.mode is ChosenMode.NO_DATA
            return stored if idle else None
        waiting = self._waiting.rows.get(name, 0)
        return None if waiting is None or stored is None else stored + waiting


def _declared(compiled: CompiledTable) -> TableSchema:
    return TableSchema(compiled.query.columns)
