"""Stored sums: the state of a group is the sum of what was ever added to it.

With D the counts and sums of the changed rows by group, and S the sums stored so far:

    S new = S + D                      D is appended; nothing stored is read or rewritten
    Δγ    = γ(S ⋉ D + D) − γ(S ⋉ D)    only the groups of D are read; emptied groups are gone

A global aggregate is one group under a constant key whose row stays when it is empty.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sqlglot import exp

from trickle.differentiate.plan import StateTable, StateUpdate
from trickle.model.names import StateName
from trickle.model.schema import Column, TableSchema
from trickle.query.emit.aggregate import exact_scale
from trickle.query.operators import (
    Aggregate,
    Bindings,
    Filter,
    Negate,
    Project,
    Relation,
    Restrict,
    Scan,
    UnionAll,
    Version,
    column,
    names,
    references,
)
from trickle.query.types import UNKNOWN, VOID

ROWS = Column("n", "bigint")
"""How many rows a group has."""
_GLOBAL_KEY = Column("k0", "int")


def countable(columns: Iterable[Column]) -> bool:
    """Whether state can be kept by these columns: their types are certain."""
    return all(c.type not in (UNKNOWN, VOID) for c in columns)


@dataclass(frozen=True, slots=True)
class Accumulator:
    """Keys and measures of a state table; `keys` pairs a state column with the input column it holds."""

    kind: str
    keys: tuple[tuple[Column, str], ...]
    measures: Bindings
    name: StateName | None = None

    def named(self, name: StateName) -> Accumulator:
        return replace(self, name=name)

    @property
    def table(self) -> StateTable:
        if self.name is None:
            raise ValueError("an accumulator is stored under a name")
        columns = (*self._key_columns, *(c for c, _ in self.measures))
        return StateTable(self.name, TableSchema(columns, names(self._key_columns)))

    @property
    def _key_columns(self) -> tuple[Column, ...]:
        return tuple(c for c, _ in self.keys) or (_GLOBAL_KEY,)

    def scan(self, version: Version) -> Scan:
        schema = self.table.schema
        return Scan(self.table.name, schema.names, schema.columns, version)

    def rows(self, version: Version) -> Relation:
        """One row a group: all groups before or after the interval, or how the groups of the changes moved."""
        if version is not Version.DELTA:
            return self._totals(self.scan(version))
        added = self.scan(Version.DELTA)
        touched = Restrict(self.scan(Version.OLD), added, tuple((k, k) for k in names(self._key_columns)))
        return UnionAll((self._totals(UnionAll((touched, added))), Negate(self._totals(touched))))

    def _totals(self, partials: Relation) -> Relation:
        """Partial sums added up, groups without rows left out."""
        keys: Bindings = tuple((c, column(c.name)) for c in self._key_columns)
        sums: Bindings = tuple((c, exp.Sum(this=column(c.name))) for c, _ in self.measures)
        return self._occupied(Aggregate(partials, keys, sums))

    def _sums(self, rows: Relation) -> Relation:
        """Counts and sums of weighted rows by group."""
        keys: Bindings = tuple((c, column(source)) for c, source in self.keys)
        if not keys:
            constant = (_GLOBAL_KEY, exp.Literal.number(0))
            summed = frozenset(name for _, function in self.measures for name in references(function))
            rows = Project(rows, (constant, *((c, column(c.name)) for c in rows.columns if c.name in summed)))
            keys = ((_GLOBAL_KEY, column(_GLOBAL_KEY.name)),)
        return Aggregate(rows, keys, self.measures)

    def _baseline(self, rows: Relation) -> Relation:
        if self.keys:
            return self._occupied(self._sums(rows))
        constant = (_GLOBAL_KEY, exp.Literal.number(0))
        measured = Aggregate(rows, (), self.measures)
        return Project(measured, (constant, *((c, column(c.name)) for c, _ in self.measures)))

    def _occupied(self, groups: Relation) -> Relation:
        """Groups that have rows; the one group of a global aggregate stays."""
        if not self.keys:
            return groups
        return Filter(groups, exp.NEQ(this=column(ROWS.name), expression=exp.Literal.number(0)))

    def update(self, new_rows: Relation, changes: Relation) -> StateUpdate:
        """How the state is begun and moved on."""
        return StateUpdate(self.table, self._baseline(new_rows), self._sums(changes), changes)


def measures_of(node: Aggregate) -> tuple[Bindings, Bindings]:
    """What to store for a node's aggregates, and how each is read from it.

    The number of rows; for each summed column its sum and its number of values.
    """
    stored: list[tuple[Column, exp.Expr]] = [(ROWS, exp.Count(this=exp.Star()))]
    read: list[tuple[Column, exp.Expr]] = []
    types = {c.name: c.type for c in node.input.columns}
    order = list(dict.fromkeys(f.this.name for _, f in node.aggregates if not isinstance(f.this, exp.Star)))
    for target, function in node.aggregates:
        if isinstance(function.this, exp.Star):
            read.append((target, column(ROWS.name)))
            continue
        index = order.index(function.this.name)
        count = Column(f"c{index}", "bigint")
        _add(stored, count, exp.Count(this=function.this.copy()))
        value: exp.Expr = column(count.name)
        if isinstance(function, exp.Sum):
            total = Column(f"s{index}", f"decimal(38,{exact_scale(types[function.this.name])})")
            _add(stored, total, function.copy())
            value = _sum_or_null(total, count, target)
        read.append((target, value))
    return tuple(stored), tuple(read)


def _add(stored: list[tuple[Column, exp.Expr]], c: Column, function: exp.Expr) -> None:
    if all(known.name != c.name for known, _ in stored):
        stored.append((c, function))


def _sum_or_null(total: Column, count: Column, target: Column) -> exp.Expr:
    """SUM of no values is NULL."""
    value: exp.Expr = column(total.name)
    if target.type != total.type:
        value = exp.cast(value, target.type, dialect="spark")
    none = exp.EQ(this=column(count.name), expression=exp.Literal.number(0))
    return exp.If(this=none, true=exp.null(), false=value)
