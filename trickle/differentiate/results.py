"""Stored results: what an operator last gave for each key, kept beside the table.

With D the keys of the changed rows, γ an operator that works key by key, and S what γ(R) was before:

    Δγ(R) = γ(R new ⋉ D) − S ⋉ D        S new = S + Δγ(R)

Only the new rows of changed keys are read again. What is taken back is what was given, digit for digit, also where
the same rows added up in another order would give another last digit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from trickle.differentiate.plan import StateTable, StateUpdate
from trickle.model.names import StateName
from trickle.model.schema import Column, TableSchema
from trickle.query.operators import (
    Consolidate,
    Negate,
    Relation,
    Restrict,
    Scan,
    UnionAll,
    Version,
    column,
    names,
)
from trickle.query.tree import project


@dataclass(frozen=True, slots=True)
class Results:
    """The rows of an operator by key; `keys` pairs columns of its input with those of its result."""

    kind: str
    columns: tuple[Column, ...]
    keys: tuple[tuple[str, str], ...]
    operator: Callable[[Relation], Relation]
    name: StateName | None = None

    def named(self, name: StateName) -> Results:
        return replace(self, name=name)

    @property
    def table(self) -> StateTable:
        if self.name is None:
            raise ValueError("results are stored under a name")
        return StateTable(self.name, TableSchema(self._stored, tuple(self._places[key] for _, key in self.keys)))

    @property
    def _places(self) -> dict[str, str]:
        """The stored name of each result column."""
        keys = [key for _, key in self.keys]
        others = [c.name for c in self.columns if c.name not in keys]
        return {name: f"k{i}" for i, name in enumerate(keys)} | {name: f"v{i}" for i, name in enumerate(others)}

    @property
    def _stored(self) -> tuple[Column, ...]:
        return tuple(Column(self._places[c.name], c.type) for c in self.columns)

    def rows(self, version: Version) -> Relation:
        """The results in one version, under the operator's own names."""
        scan = Scan(self.table.name, names(self._stored), self._stored, version)
        return project(scan, tuple((c, column(self._places[c.name])) for c in self.columns))

    def _kept(self, rows: Relation) -> Relation:
        return project(rows, tuple((s, column(c.name)) for s, c in zip(self._stored, self.columns, strict=True)))

    def update(self, new_rows: Relation, changes: Relation) -> StateUpdate:
        """How the results are begun and moved on."""
        before: Relation = Scan(self.table.name, names(self._stored), self._stored, Version.OLD)
        after = new_rows
        if self.keys:
            by_name = {c.name: c for c in changes.columns}
            changed = project(changes, tuple((by_name[a], column(a)) for a, _ in self.keys))
            after = Restrict(new_rows, changed, tuple((a, a) for a, _ in self.keys))
            before = Restrict(before, changed, tuple((self._places[b], a) for a, b in self.keys))
        begun = self._kept(self.operator(Consolidate(new_rows)))
        again = self._kept(self.operator(Consolidate(after)))
        return StateUpdate(self.table, begun, UnionAll((again, Negate(before))), changes)
