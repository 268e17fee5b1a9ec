"""Delta plans at work without a JVM: stored relations as Z-sets in Python, emitted SQL transpiled and run by DuckDB."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

import duckdb
import sqlglot
from sqlglot import exp

from trickle.differentiate.derive import DeltaPlan, differentiate
from trickle.differentiate.narrow import narrow
from trickle.differentiate.simplify import prune_plan
from trickle.differentiate.stages import staged
from trickle.errors import Location
from trickle.model.names import Name, RelationName, StageName, StateName
from trickle.model.schema import Column, TableSchema
from trickle.model.stream_table import Dialect, StreamTable
from trickle.query.canonical import canonical_sql
from trickle.query.emit import emit, view_name
from trickle.query.lower import lower
from trickle.query.operators import Relation, Scan, Version, Within
from trickle.query.parse import Query, parse
from trickle.query.qualify import qualify
from trickle.query.tree import walk

Row = tuple[object, ...]
ZSet = Counter[Row]
Contents = Mapping[tuple[Name, Version], Iterable[tuple[Row, int]]]
TABLE = RelationName("main", "t")
_TYPES = {"string": "varchar", "timestamp": "timestamp"}


@cache
def _session() -> duckdb.DuckDBPyConnection:
    session = duckdb.connect()
    session.execute("set threads = 1")
    session.execute("create macro raise_error(message) as error(message)")
    session.execute("create macro array_repeat(x, n) as list_transform(range(n), lambda i: x)")
    return session


def _duck_sql(sql: str) -> str:
    """Spark SQL for DuckDB, which would make a row of totals out of no rows where Spark makes none."""
    statement = sqlglot.parse_one(sql, read="spark")
    for select in list(statement.find_all(exp.Select)):
        group = select.args.get("group")
        if group is not None and group.find(exp.Rollup, exp.Cube, exp.GroupingSets):
            select.having("count(*) > 0", copy=False)
    return statement.sql("duckdb")


def read_query(sql: str, schemas: Mapping[RelationName, TableSchema], dialect: str = "spark") -> Query:
    table = StreamTable(TABLE, sql, Location("tables/t.sql"), dialect=Dialect(dialect))
    return qualify(parse(table), schemas, table)


def _hashable(value: object) -> object:
    """A value that equals itself, also when it is a list, a struct or NaN."""
    if isinstance(value, float) and math.isnan(value):
        return math.nan
    if isinstance(value, dict):
        return tuple((key, _hashable(item)) for key, item in value.items())
    return tuple(_hashable(item) for item in value) if isinstance(value, list) else value


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

    def __post_init__(self) -> None:
        self.plan: DeltaPlan = differentiate(lower(self.query), TABLE)
        self.session = _session()
        for name in self.query.inputs:
            self.rows.setdefault(name, Counter())

    # -- running SQL ----------------------------------------------------------------------------------------

    def _view(self, name: str, columns: Iterable[Column], rows: Iterable[Row]) -> None:
        typed = ", ".join(f'"{c.name}" {_TYPES.get(c.type, c.type)}' for c in columns)
        self.session.execute(f'create or replace temp table "{name}" ({typed})')
        rows = list(rows)
        if rows:
            holes = f"({', '.join('?' * len(rows[0]))})"
            values = [value for row in rows for value in row]
            self.session.execute(f'insert into "{name}" values {", ".join([holes] * len(rows))}', values)

    def _execute(self, sql: str) -> list[Row]:
        return self.session.execute(_duck_sql(sql)).fetchall()

    def from_scratch(self, rows: Mapping[RelationName, ZSet]) -> ZSet:
        """What the canonical query gives over plain rows."""
        for name, schema in self.query.schemas.items():
            repeated = [row for row, weight in rows[name].items() for _ in range(weight)]
            self._view(view_name(name), schema.columns, repeated)
        found = self._execute(canonical_sql(self.query))
        return Counter(tuple(_hashable(value) for value in row) for row in found)

    def evaluate(self, relation: Relation, contents: Contents) -> ZSet:
        """The consolidated rows of a relation of the plan."""
        parts = staged(relation, TABLE)
        for name, part in parts.stages:
            sql = self._sql(narrow(part), contents)
            self.session.execute(f'create or replace temp table "{view_name(name, Version.DELTA)}" as {sql}')
        found: ZSet = Counter()
        for *row, w in self.session.execute(self._sql(narrow(parts.relation), contents)).fetchall():
            found = added(found, Counter({tuple(_hashable(value) for value in row): int(w)}))
        return found

    def _sql(self, relation: Relation, contents: Contents) -> str:
        """The SQL of a relation, over tables that hold what it scans, without the rows it may leave out."""
        weight = self.plan.weight
        for scan in (node for node in walk(relation) if isinstance(node, Scan)):
            if isinstance(scan.source, StageName):
                continue
            columns = self._schema(scan.source).columns
            rows = [(*row, w) for row, w in contents[scan.source, scan.version]]
            if scan.within is not None:
                place = [c.name for c in columns].index(scan.within.column)
                wanted = self._wanted(scan.within, contents)
                rows = [row for row in rows if row[place] in wanted]
            self._view(view_name(scan.source, scan.version, scan.within), (*columns, Column(weight, "bigint")), rows)
        return _duck_sql(emit(relation, weight))

    def _wanted(self, within: Within, contents: Contents) -> set[object]:
        found: set[object] = set()
        for name, version, key in within.keys:
            if isinstance(name, StageName):
                rows = self.session.execute(f'select "{key}" from "{view_name(name, version)}"').fetchall()
                found |= {value for (value,) in rows}
            else:
                place = self._schema(name).names.index(key)
                found |= {row[place] for row, _ in contents[name, version]}
        return found

    def _schema(self, name: Name) -> TableSchema:
        if isinstance(name, RelationName):
            return self.query.schemas[name]
        return next(u.state.schema for u in self.plan.states if u.state.name == name)

    # -- refreshing -----------------------------------------------------------------------------------------

    def baseline(self) -> None:
        """A FULL refresh: states from new inputs, the result from the states."""
        contents = {(name, Version.NEW): list(zset.items()) for name, zset in self.rows.items()}
        for update in self.plan.states:
            state = self.evaluate(update.baseline, contents)
            self.states[update.state.name] = state
            contents[update.state.name, Version.NEW] = list(state.items())
        self.result = self.evaluate(self.plan.result, contents)
        self.history = {name: list(zset.items()) for name, zset in {**self.rows, **self.states}.items()}

    def refresh(self, changes: Mapping[RelationName, list[tuple[Row, int]]]) -> ZSet:
        """A DIFFERENTIAL refresh over raw changes; gives the delta of the result.

        Old and new states are handed over as they may be stored: everything ever written, or folded to the rows
        that are there.
        """
        unchanged = frozenset(name for name in self.rows if not changes.get(name))
        plan = prune_plan(self.plan, unchanged) if self.prunes else self.plan
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
        self.history[name] = list(_total(written).items()) if self.folds else written
        contents[name, Version.NEW] = self.history[name]


def _total(changes: Iterable[tuple[Row, int]]) -> ZSet:
    total: ZSet = Counter()
    for row, weight in changes:
        total = added(total, Counter({row: weight}))
    return total
