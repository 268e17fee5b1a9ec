"""Group stream tables by level: a table's inputs are all in earlier levels."""

from __future__ import annotations

import networkx as nx

from trickle.graph.build import Graph
from trickle.model.names import RelationName


def levels(graph: Graph) -> tuple[tuple[RelationName, ...], ...]:
    """The stream tables by topological generation; tables of one level do not depend on one another."""
    tables = graph.dag.subgraph(graph.by_name)
    return tuple(tuple(sorted(level)) for level in nx.topological_generations(tables))
