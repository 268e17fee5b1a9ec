"""Refuse a graph in which a stream table depends on itself."""

from __future__ import annotations

import re
from collections.abc import Mapping

import networkx as nx

from trickle.errors import Location, ProjectError
from trickle.model.names import RelationName
from trickle.model.stream_table import StreamTable


def check_acyclic(dag: nx.DiGraph[RelationName], tables: Mapping[RelationName, StreamTable]) -> None:
    """Raise ProjectError naming the path of a cycle, such as `a -> b -> a`, and the file of each table in it."""
    if nx.is_directed_acyclic_graph(dag):
        return
    path = _shortest_cycle(dag)
    files = [f"{name}: {tables[name].location.file}" for name in path[:-1]]
    where = _reference(tables[path[0]], path[1])
    raise ProjectError(
        f"stream tables depend on each other in a cycle: {' -> '.join(map(str, path))}",
        location=where,
        snippet=_line(tables[path[0]], where),
        detail="\n".join(files),
        hint="remove one of these references",
    )


def _reference(table: StreamTable, name: RelationName) -> Location:
    """Where a table's file refers to an input, or where its query begins when that cannot be found."""
    call = re.search(rf"""\bref\s*\(\s*['"]{re.escape(name.table)}['"]""", table.raw)
    if not call:
        return table.location
    before = table.raw[: call.start()]
    return Location(table.location.file, before.count("\n") + 1, len(before) - before.rfind("\n"))


def _line(table: StreamTable, where: Location) -> str:
    lines = table.raw.splitlines()
    return f"  {lines[where.line - 1]}\n  {' ' * (where.column - 1)}^" if where.line <= len(lines) else ""


def _shortest_cycle(dag: nx.DiGraph[RelationName]) -> list[RelationName]:
    """A shortest cycle, read from a table to its input, beginning with the smallest name."""
    inputs = dag.reverse(copy=False)
    cycles = (_shortest_through(inputs, name) for name in sorted(dag))
    return min((cycle for cycle in cycles if cycle), key=len)


def _shortest_through(inputs: nx.DiGraph[RelationName], name: RelationName) -> list[RelationName]:
    paths = [
        nx.shortest_path(inputs, other, name) for other in sorted(inputs[name]) if nx.has_path(inputs, other, name)
    ]
    return [name, *min(paths, key=len)] if paths else []
