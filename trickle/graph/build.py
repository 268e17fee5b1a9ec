"""Build the DAG of sources and stream tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import networkx as nx

from trickle.errors import ProjectError
from trickle.graph.check import check_acyclic
from trickle.model.names import RelationName
from trickle.model.stream_table import SourceTable, StreamTable
from trickle.model.suggest import did_you_mean


@dataclass(frozen=True)
class Graph:
    """Who reads whom: an edge goes from an input to the stream table that reads it.

    `tables` are in dependency order: inputs before their readers, otherwise by name.
    """

    dag: nx.DiGraph[RelationName]
    sources: tuple[SourceTable, ...]
    tables: tuple[StreamTable, ...]

    @cached_property
    def source_names(self) -> frozenset[RelationName]:
        return frozenset(source.name for source in self.sources)

    @cached_property
    def by_name(self) -> dict[RelationName, StreamTable]:
        return {table.name: table for table in self.tables}

    def upstream(self, name: RelationName) -> frozenset[RelationName]:
        """Everything `name` depends on, directly or not."""
        return frozenset(nx.ancestors(self.dag, name))

    def downstream(self, name: RelationName) -> frozenset[RelationName]:
        """Everything that depends on `name`, directly or not."""
        return frozenset(nx.descendants(self.dag, name))


def build_graph(sources: Iterable[SourceTable], tables: Iterable[StreamTable]) -> Graph:
    """Connect stream tables with their inputs; raises ProjectError for an unknown input and for a cycle."""
    known_sources = tuple(sources)
    by_name = {table.name: table for table in tables}
    dag: nx.DiGraph[RelationName] = nx.DiGraph()
    dag.add_nodes_from([source.name for source in known_sources])
    dag.add_nodes_from(by_name)
    for table in by_name.values():
        for name in table.inputs:
            if name not in dag:
                raise _missing(table, name, dag)
            dag.add_edge(name, table.name)
    check_acyclic(dag, by_name)
    order = nx.lexicographical_topological_sort(dag.subgraph(by_name))
    return Graph(dag, known_sources, tuple(by_name[name] for name in order))


def _missing(table: StreamTable, name: RelationName, known: Iterable[RelationName]) -> ProjectError:
    message = f'stream table "{table.name}" reads "{name}", which does not exist'
    hint = did_you_mean(str(name), [str(other) for other in known])
    return ProjectError(message, location=table.location, hint=hint)
