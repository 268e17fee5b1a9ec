"""What differentiation yields: the delta of a query, and of the operator state it leans on."""

from __future__ import annotations

from dataclasses import dataclass

from trickle.model.names import RelationName, StateName
from trickle.model.schema import TableSchema
from trickle.query.emit import weight_name
from trickle.query.operators import Relation


@dataclass(frozen=True, slots=True)
class StateTable:
    """A stored relation that belongs to one operator."""

    name: StateName
    schema: TableSchema


@dataclass(frozen=True, slots=True)
class StateUpdate:
    """How a state table is begun (from new inputs) and moved on (from their changes).

    Without rows in `changes` there is nothing to move.
    """

    state: StateTable
    baseline: Relation
    delta: Relation
    changes: Relation


@dataclass(frozen=True, slots=True)
class DeltaPlan:
    """The delta of one stream table.

    `states` come in the order they must be written: a later one may read the delta of an earlier one, and `delta` reads
    them all. `result` is the whole table read from new inputs and new states, each row with a positive weight.
    """

    table: RelationName
    tree: Relation
    states: tuple[StateUpdate, ...]
    delta: Relation
    result: Relation

    @property
    def weight(self) -> str:
        """The name of the weight column, free in every statement of the plan."""
        updates = [r for s in self.states for r in (s.baseline, s.delta)]
        return weight_name([self.tree, self.delta, self.result, *updates])
