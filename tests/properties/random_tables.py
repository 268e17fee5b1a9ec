"""Four small tables, random rows of them, and random changes of those rows: all drawn from one seeded generator."""

from __future__ import annotations

from collections import Counter
from datetime import date
from decimal import Decimal
from random import Random

from trickle.model.names import RelationName
from trickle.model.schema import Column, TableSchema

Row = tuple[object, ...]
ZSet = Counter[Row]
Changes = dict[RelationName, list[tuple[Row, int]]]

_TABLES = {
    "a": (("id", "int"), ("g", "int"), ("x", "decimal(6,2)"), ("f", "double"), ("s", "string")),
    "b": (("g", "int"), ("y", "bigint"), ("s", "string"), ("d", "date")),
    "c": (("id", "int"), ("z", "smallint"), ("ok", "boolean")),
    "e": (("src", "int"), ("dst", "int")),
}
SCHEMAS = {
    RelationName("shop", table): TableSchema(tuple(Column(name, type_) for name, type_ in columns))
    for table, columns in _TABLES.items()
}

# few values, so that rows meet, tie and repeat; halves, so that double sums are exact in any order
_VALUES: dict[str, tuple[object, ...]] = {
    "int": (None, 0, 1, 2, 3),
    "smallint": (None, 0, 1, 2, 3),
    "bigint": (None, -2, -1, 0, 1, 2),
    "decimal(6,2)": (None, Decimal("0.50"), Decimal("1.25"), Decimal("-3.00"), Decimal("2.00")),
    "double": (None, 0.5, 1.5, -2.0, 4.0, -0.0, 0.0),
    "string": (None, "a", "b", ""),
    "boolean": (None, True, False),
    "date": (None, date(2024, 1, 1), date(2024, 1, 2), date(2024, 2, 29)),
}


def random_row(draw: Random, name: RelationName) -> Row:
    return tuple(draw.choice(_VALUES[c.type]) for c in SCHEMAS[name].columns)


def random_rows(draw: Random, name: RelationName) -> ZSet:
    """A few rows, some of them twice; now and then none."""
    if draw.random() < 0.06:
        return Counter()
    rows = [random_row(draw, name) for _ in range(draw.randint(3, 10))]
    return Counter(rows + [draw.choice(rows)] * (draw.random() < 0.4))


def _updated(draw: Random, name: RelationName, row: Row) -> list[tuple[Row, int]]:
    """A row with one column changed: as often as not a key."""
    at = draw.randrange(len(row))
    changed = (*row[:at], random_row(draw, name)[at], *row[at + 1 :])
    return [(row, -1), (changed, 1)]


def random_change(draw: Random, name: RelationName, present: ZSet) -> list[tuple[Row, int]]:
    """What one table undergoes in an interval; no row is deleted more often than it is there."""
    rows = sorted(present.elements(), key=repr)
    draw.shuffle(rows)
    if draw.random() < 0.06:
        return [(row, -1) for row in rows]
    changes = [(random_row(draw, name), 1) for _ in range(draw.choice((0, 0, 1, 1, 2, 3)))]
    for _ in range(min(len(rows), draw.choice((0, 1, 1, 2)))):
        changes += _updated(draw, name, rows.pop())
    changes += [(rows.pop(), -1) for _ in range(min(len(rows), draw.choice((0, 0, 1, 2))))]
    if rows and draw.random() < 0.3:
        changes.append((rows[-1], 1))
    if draw.random() < 0.2:
        fleeting = random_row(draw, name)
        changes += [(fleeting, 1), (fleeting, -1)]
    return changes


def random_changes(draw: Random, present: dict[RelationName, ZSet]) -> Changes:
    """One interval: as often as not every table changes, else only some of them do."""
    everything = draw.random() < 0.5
    changed = {name: random_change(draw, name, rows) for name, rows in present.items()}
    return {name: rows for name, rows in changed.items() if everything or draw.random() < 0.6}
