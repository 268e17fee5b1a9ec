"""Delta plans at work without a JVM: stored relations as Z-sets in Python, emitted SQL transpiled and run by DuckDB."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache

import duckdb

from tests.differentiate.spark_in_duckdb import in_duckdb
from trickle.differentiate.derive import DeltaPlan, differentiate
from trickle.differentiate.narrow import narrow
from trickle.differentiate.simplify import prune_plan
from trickle.differentiate.stages import staged
from trickle.errors import Location
from trickle.model.names import LoopName, Name, RelationName, StageName, StateName
from trickle.model.schema import Column, TableSchema
from trickle.model.stream_table import Dialect, StreamTable
from trickle.query.canonical import canonical_sql
from trickle.query.emit import emit, view_name
from trickle.query.lower import lower
from trickle.query.operators import Recursive, Relation, Scan, Version, Within
from trickle.query.parse import Query, parse
from trickle.query.qualify import qualify
from trickle.query.tree import walk

Row = tuple[object, ...]
ZSet = Counter[Row]
Contents = Mapping[tuple[Name, Version], Iterable[tuple[Row, int]]]
TABLE = RelationName("main", "t")
_TYPES = {"string": "varchar", "timestamp": "timestamp"}


# for large tables only, and each of them a chance for DuckDB to fail where it should not
_OPTIMIZERS = (
    "compressed_materialization,statistics_propagation,late_materialization,join_filter_pushdown,column_lifetime"
)


def _duck_type(type_: str) -> str:
    if type_.startswith("array<"):
        return f"{_duck_type(type_[6:-1])}[]"
    return _TYPES.get(type_, type_)


@cache
def _session() -> duckdb.DuckDBPyConnection:
    session = duckdb.connect()
    session.execute("set threads = 1")
    session.execute(f"set disabled_optimizers = '{_OPTIMIZERS}'")
    session.execute("create macro raise_error(message) as error(message)")
    session.execute("create macro array_repeat(x, n) as list_transform(range(n), lambda i: x)")
    return session


def living_session() -> duckdb.DuckDBPyConnection:
    """The session, or a new one after an internal error of DuckDB, which ends the one it happens in."""
    try:
        _session().execute("select 1")
    except duckdb.FatalException:
        _session.cache_clear()
    return _session()


def literal(value: object) -> str:
    """A value as SQL text, to be stored in a typed column; binding values one by one takes ten times as long."""
    if value is None:
        return "NULL"
    if isinstance(value, tuple):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, bool | int | Decimal):
        return str(value)
    text = str(value).replace("'", "''")
    return f"'{text}'"


def read_query(sql: str, schemas: Mapping[RelationName, TableSchema], dialect: str = "spark") -> Query:
    table = StreamTable(TABLE, sql, Location("tables/t.sql"), dialect=Dialect(dialect))
    return qualify(parse(table), schemas, table)


def added(first: ZSet, second: ZSet) -> ZSet:
    """The sum of two Z-sets, without zero weights."""
    total = Counter(first)
    for row, weight in second.items():
        total[row] += weight
    return Counter({row: weight for row, weight in total.items() if weight})


@dataclass
class DuckDatabase:
    """One stream table over its inputs, refreshed interval by interval."""

    query: Query
    rows: dict[RelationName, ZSet] = field(default_factory=dict)
    history: dict[Name, list[tuple[Row, int]]] = field(default_factory=dict)
    states: dict[StateName, ZSet] = field(default_factory=dict)
    result: ZSet = field(default_factory=Counter)
    prunes: bool = True
    folds: bool = False
    canonical: str = ""
    written: dict[int, tuple[Relation, list[tuple[str, Relation, str]]]] = field(default_factory=dict)
    plans: dict[frozenset[RelationName], DeltaPlan] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.plan: DeltaPlan = differentiate(lower(self.query), TABLE)
        self.session = living_session()
        for name in self.query.inputs:
            self.rows.setdefault(name, Counter())

    # -- running SQL ----------------------------------------------------------------------------------------

    def _view(self, name: str, columns: Iterable[Column], rows: Iterable[Row]) -> None:
        typed = ", ".join(f'"{c.name}" {_duck_type(c.type)}' for c in columns)
        self.session.execute(f'create or replace temp table "{name}" ({typed})')
        values = ", ".join(f"({', '.join(map(literal, row))})" for row in rows)
        if values:
            self.session.execute(f'insert into "{name}" values {values}')

    def _execute(self, sql: str) -> list[Row]:
        return [tuple(map(_comparable, row)) for row in self.session.execute(in_duckdb(sql)).fetchall()]

    def _keep(self, name: str, sql: str) -> None:
        """Store the rows of a statement for the statements after it."""
        self.session.execute(f'create or replace temp table "{name}" as {in_duckdb(sql)}')

    def from_scratch(self, rows: Mapping[RelationName, ZSet]) -> ZSet:
        """What the canonical query gives over plain rows."""
        for name, schema in self.query.schemas.items():
            repeated = [row for row, weight in rows[name].items() for _ in range(weight)]
            self._view(view_name(name), schema.columns, repeated)
        if not self.canonical:
            self.canonical = canonical_sql(self.query)
        return Counter(self._execute(self.canonical))

    def evaluate(self, relation: Relation, contents: Contents) -> ZSet:
        """The consolidated rows of a relation of the plan."""
        *stages, (_, last, sql) = self._statements(relation)
        for name, part, stage in stages:
            self._fill(part, contents)
            if isinstance(part, Recursive):
                self._loop(name, part)
            else:
                self._keep(name, stage)
        self._fill(last, contents)
        found: ZSet = Counter()
        for *row, w in self._execute(sql):
            found[tuple(row)] += int(w)  # type: ignore[call-overload]
        return Counter({row: w for row, w in found.items() if w})

    def _statements(self, relation: Relation) -> list[tuple[str, Relation, str]]:
        """The stages of a relation and then the whole, each with its SQL: written once for all intervals."""
        if id(relation) not in self.written:
            parts = staged(relation, TABLE)
            stages = [(view_name(name, Version.DELTA), narrow(part)) for name, part in parts.stages]
            whole = [*stages, ("", narrow(parts.relation))]
            weight = self.plan.weight
            texts = [(n, part, "" if isinstance(part, Recursive) else emit(part, weight)) for n, part in whole]
            self.written[id(relation)] = (relation, texts)
        return self.written[id(relation)][1]

    def _loop(self, name: str, node: Recursive) -> None:
        """A recursion, step by step as the engine does it."""
        weight = self.plan.weight
        scan = next(n for n in walk(node.step) if isinstance(n, Scan) and n.source == node.loop)
        columns = (*node.columns, Column(weight, "bigint"))
        last, found = self._steps_rows(node.base), Counter[Row]()
        while last := {r: 1 for r, w in last.items() if w > 0 and r not in found} if node.once else last:
            found.update(last)
            self._view(view_name(scan.source, scan.version), columns, [(*r, w) for r, w in last.items()])
            last = self._steps_rows(node.step)
        self._view(name, columns, [(*r, w) for r, w in found.items()])

    def _steps_rows(self, relation: Relation) -> dict[Row, int]:
        found: ZSet = Counter()
        for *row, w in self._execute(emit(relation, self.plan.weight)):
            found[tuple(row)] += int(w)  # type: ignore[call-overload]
        return {row: w for row, w in found.items() if w}

    def _fill(self, relation: Relation, contents: Contents) -> None:
        """Tables that hold what a relation scans, without the rows it may leave out."""
        weight = self.plan.weight
        for scan in (node for node in walk(relation) if isinstance(node, Scan)):
            if isinstance(scan.source, StageName | LoopName):
                continue
            columns = self._schema(scan.source).columns
            rows = [(*row, w) for row, w in contents[scan.source, scan.version]]
            if scan.within is not None:
                place = [c.name for c in columns].index(scan.within.column)
                wanted = self._wanted(scan.within, contents)
                rows = [row for row in rows if row[place] in wanted]
            self._view(view_name(scan.source, scan.version, scan.within), (*columns, Column(weight, "bigint")), rows)

    def _wanted(self, within: Within, contents: Contents) -> set[object]:
        found: set[object] = set()
        for name, version, key in within.keys:
            if isinstance(name, StageName):
                found |= {value for (value,) in self._execute(f"select `{key}` from `{view_name(name, version)}`")}
            else:
                place = self._schema(name).names.index(key)
                found |= {row[place] for row, _ in contents[name, version]}
        return found

    def _pruned(self, unchanged: frozenset[RelationName]) -> DeltaPlan:
        if not self.prunes:
            return self.plan
        if unchanged not in self.plans:
            self.plans[unchanged] = prune_plan(self.plan, unchanged)
        return self.plans[unchanged]

    def _schema(self, name: Name) -> TableSchema:
        if isinstance(name, RelationName):
            return self.query.schemas[name]
        return next(u.state.schema for u in self.plan.states if u.state.name == name)

    # -- refreshing -----------------------------------------------------------------------------------------

    def baseline(self) -> None:
        """A FULL refresh: states from new inputs, the result from the states."""
        contents = {(name, Version.NEW): self._stored(zset) for name, zset in self.rows.items()}
        for update in self.plan.states:
            state = self.evaluate(update.baseline, contents)
            self.states[update.state.name] = state
            contents[update.state.name, Version.NEW] = list(state.items())
        self.result = self.evaluate(self.plan.result, contents)
        self.history = {name: list(zset.items()) for name, zset in {**self.rows, **self.states}.items()}

    def _stored(self, zset: ZSet) -> list[tuple[Row, int]]:
        """Rows as they may be stored: folded, or each written once more and taken back."""
        extra = 0 if self.folds else 1
        return [(row, weight + extra) for row, weight in zset.items()] + [(row, -1) for row in zset if extra]

    def refresh(self, changes: Mapping[RelationName, list[tuple[Row, int]]]) -> ZSet:
        """A DIFFERENTIAL refresh over raw changes; gives the delta of the result.

        Old and new states are handed over as they may be stored: everything ever written, or folded to the rows
        that are there.
        """
        unchanged = frozenset(name for name in self.rows if not changes.get(name))
        plan = self._pruned(unchanged)
        contents: dict[tuple[Name, Version], list[tuple[Row, int]]] = {}
        for name in self.rows:
            self._advance(name, changes.get(name, []), contents)
            self.rows[name] = added(self.rows[name], _total(changes.get(name, [])))
        for update in plan.states:
            name = update.state.name
            contents[name, Version.OLD] = self.history[name]
            delta = self.evaluate(update.delta, contents)
            self._advance(name, list(delta.items()), contents)
            self.states[name] = added(self.states[name], delta)
        delta = self.evaluate(plan.delta, contents)
        self.result = added(self.result, delta)
        return delta

    def _advance(
        self,
        name: Name,
        changes: list[tuple[Row, int]],
        contents: dict[tuple[Name, Version], list[tuple[Row, int]]],
    ) -> None:
        contents[name, Version.OLD] = self.history[name]
        contents[name, Version.DELTA] = changes
        written = [*self.history[name], *changes]
        self.history[name] = list(added(Counter(), _total(written)).items()) if self.folds else written
        contents[name, Version.NEW] = self.history[name]


def _comparable(value: object) -> object:
    """The value as it can be counted: NaN is one value and not many, arrays and structs are tuples."""
    if isinstance(value, dict):
        return tuple((key, _comparable(item)) for key, item in value.items())
    if isinstance(value, list):
        return tuple(_comparable(item) for item in value)
    return math.nan if isinstance(value, float) and math.isnan(value) else value


def _total(changes: Iterable[tuple[Row, int]]) -> ZSet:
    total: ZSet = Counter()
    for row, weight in changes:
        total[row] += weight
    return total
