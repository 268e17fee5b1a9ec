"""Choose stream tables: names, globs, `tag:`, `path:`, `source:`, with `+` for what is up- or downstream.

A list of selectors is a union, selectors joined by commas an intersection: `tag:finance,path:tables/daily +revenue`.
`2+revenue` goes two steps upstream, `revenue+1` one step downstream.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

import networkx as nx

from trickle.errors import ProjectError
from trickle.graph.build import Graph
from trickle.model.names import RelationName
from trickle.model.suggest import did_you_mean

_SELECTOR = re.compile(r"(?:(?P<up>\d*)(?P<plus>\+))?(?P<core>[^+]+)(?:(?P<more>\+)(?P<down>\d*))?")


@dataclass(frozen=True, slots=True)
class Selector:
    """One parsed selector; `up` and `down` are numbers of steps, None for all of them."""

    text: str
    method: str
    pattern: str
    up: int | None = 0
    down: int | None = 0


def select_tables(graph: Graph, select: Sequence[str] = (), exclude: Sequence[str] = ()) -> frozenset[RelationName]:
    """The stream tables that are selected (all when nothing is) and not excluded."""
    tables = frozenset(graph.by_name)
    chosen = _union(graph, select) if select else tables
    if chosen and not chosen & tables:
        raise ProjectError(
            f'selector "{" ".join(select)}" names sources only',
            hint="write source:name+ for the stream tables that read them",
        )
    return (chosen & tables) - _union(graph, exclude)


def parse_selector(text: str) -> Selector:
    """Read one selector; raises ProjectError when it has no meaning."""
    match = _SELECTOR.fullmatch(text)
    method, colon, pattern = match["core"].partition(":") if match else ("", "", "")
    if not colon:
        method, pattern = "name", method
    if match is None or not pattern:
        raise ProjectError(f'cannot read the selector "{text}"', hint="write a name, +name+, tag:, path: or source:")
    if method not in _METHODS:
        hint = did_you_mean(method, set(_METHODS) - {"name"}, "methods")
        raise ProjectError(f'unknown selector method "{method}" in "{text}"', hint=hint)
    return Selector(text, method, pattern, _steps(match["plus"], match["up"]), _steps(match["more"], match["down"]))


def _steps(plus: str | None, number: str | None) -> int | None:
    if not plus:
        return 0
    return int(number) if number else None


def _union(graph: Graph, selectors: Sequence[str]) -> frozenset[RelationName]:
    found: frozenset[RelationName] = frozenset()
    for text in (word for selector in selectors for word in selector.split()):
        parts = [_expand(graph, parse_selector(part)) for part in text.split(",")]
        found |= frozenset.intersection(*parts)
    return found


def _expand(graph: Graph, selector: Selector) -> frozenset[RelationName]:
    core = {name for name in graph.dag if _METHODS[selector.method](graph, name, selector.pattern)}
    if not core:
        raise _no_match(graph, selector)
    found = set(core)
    for name in core:
        found |= _reach(graph.dag.reverse(copy=False), name, selector.up)
        found |= _reach(graph.dag, name, selector.down)
    return frozenset(found)


def _reach(dag: nx.DiGraph[RelationName], name: RelationName, steps: int | None) -> set[RelationName]:
    return set(nx.single_source_shortest_path_length(dag, name, cutoff=steps))


def _by_name(graph: Graph, name: RelationName, pattern: str) -> bool:
    full = f"{name.schema}.{name.table}"
    return name in graph.by_name and (fnmatchcase(name.table, pattern) or fnmatchcase(full, pattern))


def _by_tag(graph: Graph, name: RelationName, pattern: str) -> bool:
    return name in graph.by_name and any(fnmatchcase(tag, pattern) for tag in graph.by_name[name].tags)


def _by_path(graph: Graph, name: RelationName, pattern: str) -> bool:
    if name not in graph.by_name:
        return False
    file = PurePosixPath(graph.by_name[name].location.file)
    wanted = str(PurePosixPath(pattern))
    return any(fnmatchcase(str(path), wanted) for path in (file, *file.parents[:-1]))


def _by_source(graph: Graph, name: RelationName, pattern: str) -> bool:
    full = f"{name.schema}.{name.table}"
    return name in graph.source_names and (fnmatchcase(name.schema, pattern) or fnmatchcase(full, pattern))


_METHODS: Mapping[str, Callable[[Graph, RelationName, str], bool]] = {
    "name": _by_name,
    "tag": _by_tag,
    "path": _by_path,
    "source": _by_source,
}


def _no_match(graph: Graph, selector: Selector) -> ProjectError:
    hint = did_you_mean(selector.pattern, _known(graph, selector.method))
    if selector.method == "name" and any(selector.pattern == str(name) for name in graph.source_names):
        hint = f"it is a source: source:{selector.pattern}+"
    return ProjectError(f'selector "{selector.text}" matches nothing', hint=hint)


def _known(graph: Graph, method: str) -> set[str]:
    match method:
        case "tag":
            return {tag for table in graph.tables for tag in table.tags}
        case "path":
            files = [PurePosixPath(table.location.file) for table in graph.tables]
            return {str(path) for file in files for path in (file, *file.parents[:-1])}
        case "source":
            return {name.schema for name in graph.source_names} | {str(name) for name in graph.source_names}
        case _:
            return {name.table for name in graph.by_name}
