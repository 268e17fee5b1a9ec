"""What is stored, compiled and pending for one table: the facts a decision is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trickle.model.names import RelationName, ScanName
from trickle.model.ports import Lake, Stored
from trickle.model.stream_table import RefreshMode
from trickle.refresh.compiled import CompiledTable
from trickle.refresh.cost import Cost, cost
from trickle.refresh.decide import Situation


@dataclass(frozen=True, slots=True)
class Facts:
    """A compiled table beside what the lake has of it and of its inputs."""

    compiled: CompiledTable
    stored: Stored | None
    inputs: Mapping[RelationName, Stored]
    states_stored: bool

    @classmethod
    def gather(cls, lake: Lake, compiled: CompiledTable) -> Facts:
        """Ask the lake."""
        stored = lake.stored(compiled.name)
        inputs = {name: found for name in compiled.query.inputs if (found := lake.stored(name))}
        return cls(compiled, stored, inputs, _states_stored(lake, compiled, stored))

    def pending(self, upto: int) -> dict[RelationName, int | None]:
        """Change rows of each input between the table's epoch and `upto`."""
        start = self.stored.epoch if self.stored else 0
        return {name: found.pending(start, upto) for name, found in self.inputs.items()}

    def situation(self, pending: Mapping[RelationName, int | None], *, requested_full: bool) -> Situation:
        """The facts in the form `decide` takes."""
        return Situation(
            declared=self.compiled.table.refresh_mode,
            populated=self.stored is not None,
            definition_changed=self.stored is not None and self.stored.fingerprint != self.compiled.fingerprint,
            refused=self.compiled.refused,
            volatile=self.compiled.volatile,
            reset_input=self._reset_input(),
            state_missing=not self.states_stored,
            requested_full=requested_full,
            pending=pending,
            input_rows={name: found.rows for name, found in self.inputs.items()},
            cost=self._cost(pending),
        )

    def _cost(self, pending: Mapping[RelationName, int | None]) -> Cost | None:
        plan = self.compiled.plan
        if plan is None or self.compiled.table.refresh_mode is not RefreshMode.AUTO:
            return None
        rows: dict[ScanName, int] = {name: found.rows for name, found in self.inputs.items()}
        return cost(plan, rows, frozenset(name for name, count in pending.items() if count == 0))

    def _reset_input(self) -> RelationName | None:
        if self.stored is None:
            return None
        return next((name for name, found in self.inputs.items() if found.since > self.stored.epoch), None)


def _states_stored(lake: Lake, compiled: CompiledTable, stored: Stored | None) -> bool:
    if compiled.plan is None or stored is None:
        return True
    states = (lake.stored(update.state.name) for update in compiled.plan.states)
    return all(state is not None and state.since <= stored.epoch for state in states)
