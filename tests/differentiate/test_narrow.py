"""Scans that leave out what no change asks for: which are bounded, by what, and that no row is lost by it."""

from __future__ import annotations

from collections import Counter

import pytest
from duck_database import DuckDatabase, Row, read_query
from sqlglot import exp, parse_one

from trickle.differentiate.narrow import narrow
from trickle.model.names import RelationName
from trickle.model.schema import Column, TableSchema
from trickle.query.emit import emit
from trickle.query.operators import (
    Aggregate,
    AntiJoin,
    Consolidate,
    Distinct,
    Explode,
    Filter,
    InnerJoin,
    Negate,
    OuterJoin,
    Project,
    Relation,
    Restrict,
    Scan,
    SemiJoin,
    UnionAll,
    Version,
    column,
)
from trickle.query.tree import walk

NAMES = {name: RelationName("shop", name) for name in ("a", "b", "c")}
SCHEMAS = {name: TableSchema((Column("x", "int"), Column("y", "int"))) for name in NAMES.values()}
STORED: list[tuple[Row, int]] = [((x, y), 1) for x in (1, 2, 3, None) for y in (1, 2, 3, None)]
CHANGES: dict[str, list[tuple[Row, int]]] = {
    "a": [((1, 3), 1), ((None, 2), -1)],
    "b": [((2, 1), 1), ((3, None), -1)],
    "c": [((3, 3), 1)],
}


def scan(table: str, version: Version, alias: str = "") -> Scan:
    columns = tuple(Column(f"{alias or table}.{name}", "int") for name in ("x", "y"))
    return Scan(NAMES[table], ("x", "y"), columns, version)


def stored(table: str, alias: str = "") -> Scan:
    return scan(table, Version.NEW, alias)


def changed(table: str, alias: str = "") -> Scan:
    return scan(table, Version.DELTA, alias)


def named(relation: Relation, **columns: str) -> Project:
    """A projection; dots in names are written as underscores."""
    bindings = tuple((Column(n, "int"), _expression(text)) for n, text in columns.items())
    return Project(relation, bindings)


def grouped(relation: Relation, key: str, value: str) -> Aggregate:
    keys = ((Column("g", "int"), column(key)), (Column("h", "int"), column(value)))
    return Aggregate(relation, keys, ((Column("n", "bigint"), exp.Count(this=exp.Star())),))


def _expression(text: str) -> exp.Expr:
    def quoted(node: exp.Expr) -> exp.Expr:
        return (
            column(f"{node.table}.{node.name}" if node.table else node.name) if isinstance(node, exp.Column) else node
        )

    return parse_one(text, read="spark").transform(quoted)


def on(*conditions: str) -> tuple[exp.Expr, ...]:
    return tuple(map(_expression, conditions))


def by(relation: Relation, keys: Relation, *pairs: tuple[str, str]) -> Restrict:
    return Restrict(relation, keys, pairs)


def bounds(relation: Relation) -> dict[str, str]:
    """For each bounded scan its column, and the changes whose values it needs."""
    found = {}
    for node in walk(narrow(relation)):
        if isinstance(node, Scan) and node.within is not None:
            sources = " ".join(f"{name.table}.{key}" for name, _, key in node.within.keys)  # type: ignore[union-attr]
            found[node.columns[0].name.partition(".")[0]] = f"{node.within.column} of {sources}"
    return found


A, B, C = stored("a"), stored("b"), stored("c")
DA, DB, DC = changed("a"), changed("b"), changed("c")
SHIFTED = named(DA, k="a.x + 1", j="a.y")
TOUCHED = by(B, DA, ("b.x", "a.x"))
PAIRS = InnerJoin((B, DA), on("b.x = a.x"))
TWO = InnerJoin((B, C, DA), on("b.x = c.y", "b.x = a.y"))
MATCHED = OuterJoin(DA, B, on("a.x = b.x"))
SPREAD = Explode(DA, _expression("explode(array(a.x, a.y + 1))"), (Column("e", "int"),))
ENTRIES = grouped(DA, "a.x", "a.y")

CASES: list[tuple[str, Relation, dict[str, str]]] = [
    # where the values of a key come from
    ("changes", by(C, DA, ("c.x", "a.x")), {"c": "x of a.x"}),
    ("changes by another column", by(C, DA, ("c.y", "a.x")), {"c": "y of a.x"}),
    ("stored rows", by(C, A, ("c.x", "a.x")), {}),
    ("a renamed change", by(C, SHIFTED, ("c.x", "j")), {"c": "x of a.y"}),
    ("a computed change", by(C, SHIFTED, ("c.x", "k")), {}),
    ("groups of changes, by the first key", by(C, ENTRIES, ("c.x", "g")), {"c": "x of a.x"}),
    ("groups of changes, by the second key", by(C, ENTRIES, ("c.x", "h")), {"c": "x of a.y"}),
    ("groups of changes, by a count", by(C, ENTRIES, ("c.x", "n")), {}),
    ("two changes", by(C, UnionAll((named(DA, k="a.x"), named(DB, k="b.x"))), ("c.x", "k")), {"c": "x of a.x b.x"}),
    ("a change or stored rows", by(C, UnionAll((named(DA, k="a.x"), named(B, k="b.x"))), ("c.x", "k")), {}),
    ("filtered changes", by(C, Distinct(Consolidate(Negate(Filter(DA, _expression("a.x = 1"))))), ("c.x", "a.x")),
     {"c": "x of a.x"}),
    ("rows a change touches", by(C, TOUCHED, ("c.x", "b.x")), {"b": "x of a.x", "c": "x of a.x"}),
    ("another column of rows a change touches", by(C, TOUCHED, ("c.x", "b.y")), {"b": "x of a.x"}),
    ("changes that others touch", by(C, by(DB, DA, ("b.y", "a.x")), ("c.x", "b.x")), {"c": "x of b.x"}),
    ("rows kept by a stored and a changed key", by(C, by(by(B, A, ("b.x", "a.x")), DA, ("b.x", "a.x")), ("c.x", "b.x")),
     {"b": "x of a.x", "c": "x of a.x"}),
    ("semi-joined changes", by(C, SemiJoin(DA, B, on("a.x < b.x")), ("c.x", "a.x")), {"c": "x of a.x"}),
    ("anti-joined changes", by(C, AntiJoin(DA, B, on("a.x < b.x")), ("c.x", "a.x")), {"c": "x of a.x"}),
    ("the preserved side of an outer join", by(C, MATCHED, ("c.x", "a.y")), {"b": "x of a.x", "c": "x of a.y"}),
    ("the other side of an outer join", by(C, MATCHED, ("c.x", "b.y")), {"b": "x of a.x"}),
    ("exploded changes", by(C, SPREAD, ("c.x", "a.x")), {"c": "x of a.x"}),
    ("what exploding yields", by(C, SPREAD, ("c.x", "e")), {}),
    ("a joined change", by(C, PAIRS, ("c.x", "a.y")), {"b": "x of a.x", "c": "x of a.y"}),
    ("a column made equal to a change", by(C, PAIRS, ("c.x", "b.x")), {"b": "x of a.x", "c": "x of a.x"}),
    ("a column beside a change", by(C, PAIRS, ("c.x", "b.y")), {"b": "x of a.x"}),
    ("a column made equal to stored rows, then to a change", by(stored("c", "d"), TWO, ("d.x", "b.x")),
     {"b": "x of a.y", "d": "x of a.y"}),
    # down to the scans
    ("joined", InnerJoin((DA, B), on("a.x = b.x")), {"b": "x of a.x"}),
    ("joined without an equation", InnerJoin((DA, B), on("a.x < b.x")), {}),
    ("a semi-join of stored rows", SemiJoin(B, DA, on("a.x = b.x")), {"b": "x of a.x"}),
    ("a semi-join with stored rows", SemiJoin(DA, B, on("a.x = b.x")), {"b": "x of a.x"}),
    ("an outer join of stored rows", OuterJoin(B, DA, on("a.x = b.x")), {}),
    ("an anti-join of stored rows", AntiJoin(B, DA, on("a.x = b.x")), {}),
    ("an anti-join with stored rows", AntiJoin(DA, B, on("a.x = b.x")), {"b": "x of a.x"}),
    ("below linear operators", by(Consolidate(Negate(Distinct(Filter(B, _expression("b.y > 1"))))), DA, ("b.x", "a.x")),
     {"b": "x of a.x"}),
    ("below a union", by(UnionAll((named(B, k="b.x", j="b.y"), named(C, k="c.y", j="c.x"))), DA, ("k", "a.x")),
     {"b": "x of a.x", "c": "y of a.x"}),
    ("below a projection, by its second column", by(named(B, j="b.y", k="b.x"), DA, ("k", "a.x")), {"b": "x of a.x"}),
    ("below a projection, by a computed column", by(named(B, j="b.y", k="b.x + 1"), DA, ("k", "a.x")), {}),
    ("below groups, by their second key", by(grouped(B, "b.y", "b.x"), DA, ("h", "a.x")), {"b": "x of a.x"}),
    ("below groups, by their count", by(grouped(B, "b.y", "b.x"), DA, ("n", "a.x")), {}),
    ("below a restriction", by(by(B, C, ("b.y", "c.y")), DA, ("b.x", "a.x")), {"b": "x of a.x"}),
    ("below a semi-join", by(SemiJoin(B, C, on("b.y = c.y")), DA, ("b.x", "a.x")), {"b": "x of a.x"}),
    ("below an anti-join", by(AntiJoin(B, C, on("b.y < c.y")), DA, ("b.x", "a.x")), {"b": "x of a.x"}),
    ("below an outer join, left", by(OuterJoin(B, C, on("b.y = c.y")), DA, ("b.x", "a.x")), {"b": "x of a.x"}),
    ("below an outer join, right", by(OuterJoin(B, C, on("b.y = c.y")), DA, ("c.x", "a.x")), {}),
    ("below a join", by(InnerJoin((B, C), on("b.y = c.y")), DA, ("c.x", "a.x")), {"c": "x of a.x"}),
    ("bounded once, by the first column", by(B, DA, ("b.x", "a.x"), ("b.y", "a.y")), {"b": "x of a.x"}),
]  # fmt: skip


def rows_of(relation: Relation) -> Counter[Row]:
    database = DuckDatabase(read_query("select a.x from shop.a, shop.b, shop.c", SCHEMAS))
    contents = {(name, version): STORED for name in SCHEMAS for version in (Version.OLD, Version.NEW)}
    contents |= {(NAMES[name], Version.DELTA): rows for name, rows in CHANGES.items()}
    found: Counter[Row] = Counter()
    database._fill(relation, contents)
    for *row, weight in database._execute(emit(relation, database.plan.weight)):
        found[tuple(row)] += weight
    return Counter({row: weight for row, weight in found.items() if weight})


@pytest.mark.parametrize(("relation", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_what_a_scan_is_bounded_by(relation: Relation, expected: dict[str, str]) -> None:
    assert bounds(relation) == expected


@pytest.mark.parametrize("relation", [case[1] for case in CASES], ids=[case[0] for case in CASES])
def test_no_row_is_lost(relation: Relation) -> None:
    assert rows_of(narrow(relation)) == rows_of(relation)


@pytest.mark.parametrize("type_", ["double", "decimal(10,2)", ""])
def test_a_column_whose_values_files_do_not_tell_apart_is_not_bounded(type_: str) -> None:
    columns = (Column("b.x", type_), Column("b.y", "int"))
    relation = by(Scan(NAMES["b"], ("x", "y"), columns), DA, ("b.x", "a.x"))
    assert bounds(relation) == {}


def test_changes_are_read_whole() -> None:
    assert bounds(by(DB, DA, ("b.x", "a.x"))) == {}
