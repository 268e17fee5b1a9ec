"""A schedule as the text of a golden case, without its answers: `UPDATE_GOLDEN=1` writes them."""

from __future__ import annotations

from collections.abc import Iterable

import sqlglot

from tests.properties.random_tables import SCHEMAS
from tests.properties.schedule import Schedule
from trickle.model.names import RelationName


def _word(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if value != "" else "''"


def _words(row: Iterable[object]) -> str:
    return " ".join(map(_word, row))


def _read(schedule: Schedule) -> list[RelationName]:
    text = schedule.sql.replace("`", "").lower()
    return [name for name in SCHEMAS if f"{name} " in f"{text} ".replace(")", " ").replace(",", " ")]


def golden_text(schedule: Schedule) -> str:
    """Tables, query, rows and changes of the tables the query reads."""
    read = _read(schedule)
    lines = [f"{n.table}({', '.join(f'{c.name} {c.type}' for c in SCHEMAS[n].columns)})" for n in read]
    lines += ["", "query", sqlglot.transpile(schedule.sql, read="spark", write="spark", pretty=True)[0], "----", ""]
    for name in read:
        if schedule.rows[name]:
            lines += [f"rows {name.table}", *(_words(row) for row in schedule.rows[name].elements()), ""]
    for changes in schedule.cycles:
        for name in read:
            if changes.get(name):
                lines += [f"change {name.table}", *(f"{w:+d} {_words(row)}" for row, w in changes[name])]
        lines += ["----", ""]
    return "\n".join(lines).rstrip()
