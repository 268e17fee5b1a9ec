"""Golden files: a sentence, tables, a query, its expected plan, then changes with the weighted rows they cause.

    # Both sides change in one interval: the pair of new rows is counted once.
    orders(id int, cust int)

    query
    SELECT id FROM shop.orders
    ----
    <plan, or "refused: ...">

    rows orders
    1 7

    change orders
    +1 2 7
    ----
    +1 2

A column may be `not null`. A line `dialect postgres` beside the tables says how the query is read. `NULL` is NULL and
`''` the empty string; other values are read by their column's type. Blocks of changes up to `----` are one interval.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from duck_database import DuckDatabase, Row, ZSet, read_query

from trickle.errors import ProjectError
from trickle.model.names import RelationName
from trickle.model.schema import Column, TableSchema
from trickle.query.draw import draw

_TABLE = re.compile(r"^(\w+)\((.*)\)$")
_COLUMN = re.compile(r"(\w+|`[^`]+`) ([a-z]+(?:\(\d+,\d+\))?)( not null)?")


@dataclass
class Interval:
    """Weighted rows by table, and the weighted rows of the result they cause."""

    changes: dict[RelationName, list[tuple[Row, int]]] = field(default_factory=dict)
    expected: list[str] = field(default_factory=list)


@dataclass
class Case:
    """One case of a golden file."""

    sentence: str
    schemas: dict[RelationName, TableSchema] = field(default_factory=dict)
    query: str = ""
    dialect: str = "spark"
    plan: str = ""
    rows: dict[RelationName, list[Row]] = field(default_factory=dict)
    intervals: list[Interval] = field(default_factory=list)

    def row(self, name: RelationName, words: list[str]) -> Row:
        return tuple(_value(w, c.type) for w, c in zip(words, self.schemas[name].columns, strict=True))


def _value(word: str, type_: str) -> object:
    if word == "NULL":
        return None
    if type_.startswith("decimal"):
        return Decimal(word)
    if type_ in ("float", "double"):
        return math.nan if word == "nan" else float(word)
    if type_ == "date":
        return date.fromisoformat(word)
    if type_ == "boolean":
        return word == "true"
    return word.replace("''", "") if type_ == "string" else int(word)


def sections(text: str) -> Iterator[list[str]]:
    """The lines of each case."""
    case: list[str] = []
    for line in text.splitlines():
        if line.startswith("#") and case and not case[-1].startswith("#"):
            yield case
            case = []
        case.append(line.rstrip())
    yield case


def _blocks(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """What follows each keyword line, up to the next."""
    title, block = "head", []
    for line in lines:
        if line == "query" or line == "----" or re.match(r"^(rows|change) \w+$", line):
            yield title, block
            title, block = line, []
        elif line:
            block.append(line)
    yield title, block


def _read_head(case: Case, lines: list[str]) -> None:
    for line in lines:
        match = _TABLE.match(line)
        if match:
            found = _COLUMN.findall(match.group(2))
            columns = tuple(Column(name.strip("`"), type_, nullable=not promised) for name, type_, promised in found)
            case.schemas[RelationName("shop", match.group(1))] = TableSchema(columns)
        elif line.startswith("dialect "):
            case.dialect = line.removeprefix("dialect ")


def read_case(lines: list[str]) -> Case:
    case = Case(" ".join(line.lstrip("# ") for line in lines if line.startswith("#")))
    current = Interval()
    planned = False
    for title, block in _blocks([line for line in lines if not line.startswith("#")]):
        kind, _, table = title.partition(" ")
        name = RelationName("shop", table or "none")
        if kind == "head":
            _read_head(case, block)
        elif kind == "query":
            case.query = "\n".join(block)
        elif kind == "rows":
            case.rows[name] = [case.row(name, line.split()) for line in block]
        elif kind == "change":
            current.changes[name] = [(case.row(name, line.split()[1:]), int(line.split()[0])) for line in block]
        elif not planned:
            case.plan, planned = "\n".join(block), True
        else:
            current.expected = block
            case.intervals.append(current)
            current = Interval()
    return case


def read_cases(text: str) -> list[Case]:
    return [read_case(section) for section in sections(text)]


def plan_text(case: Case) -> str:
    """The delta of each state and of the table as trees, or the refusal."""
    try:
        plan = DuckDatabase(read_query(case.query, case.schemas, case.dialect)).plan
    except ProjectError as error:
        return f"refused: {error.message} at {error.location.line}:{error.location.column}"  # type: ignore[union-attr]
    parts = [f"state {u.state.name.node}\n{draw(u.delta)}" for u in plan.states]
    return "\n".join([*parts, f"delta\n{draw(plan.delta)}"])


def _shown(value: object) -> str:
    return "NULL" if value is None else str(value)


def weighted_rows(delta: ZSet) -> list[str]:
    lines = [" ".join([f"{weight:+d}", *map(_shown, row)]) for row, weight in delta.items()]
    return sorted(lines)


def run(case: Case, folds: bool = False) -> Iterator[tuple[Interval, list[str]]]:
    """Each interval with the weighted rows it caused; the result is checked against a query from scratch."""
    database = DuckDatabase(read_query(case.query, case.schemas, case.dialect), folds=folds)
    for name in database.rows:
        database.rows[name] = Counter(case.rows.get(name, []))
    database.baseline()
    assert database.result == database.from_scratch(database.rows)
    for interval in case.intervals:
        delta = weighted_rows(database.refresh(interval.changes))
        assert database.result == database.from_scratch(database.rows)
        yield interval, delta


def written(case: Case, text: str) -> str:
    """The text of a case with the plan and the rows that the code gives now."""
    lines = text.rstrip().split("\n")
    marks = [i for i, line in enumerate(lines) if line == "----"]
    refused = plan_text(case).startswith("refused")
    answers = [plan_text(case).split("\n"), *([] if refused else [rows for _, rows in run(case)])]
    for mark, answer in reversed(list(zip(marks, answers, strict=False))):
        end = next((i for i in range(mark + 1, len(lines)) if not lines[i]), len(lines))
        lines[mark + 1 : end] = answer
    return "\n".join(lines) + "\n"
