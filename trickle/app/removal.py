"""Remove what trickle made: one table, or everything in the lake and the databases."""

from __future__ import annotations

from trickle.app.database import open_databases
from trickle.errors import ProjectError
from trickle.graph.build import Graph
from trickle.lake.delta_lake import DeltaLake
from trickle.model.names import RelationName
from trickle.model.stream_table import SourceTable, StreamTable
from trickle.project.files import ProjectFiles


def drop_table(files: ProjectFiles, graph: Graph, table: StreamTable, lake: DeltaLake | None) -> tuple[str, ...]:
    """Remove a stream table and the captures that only it used."""
    dependants = [other.name.table for other in graph.tables if table.name in other.inputs]
    if lake and any(lake.stored(other.name) for other in graph.tables if table.name in other.inputs):
        raise ProjectError(
            f'stream table "{table.name.table}" is read by {", ".join(dependants)}',
            hint="drop those first",
        )
    if lake is None or lake.stored(table.name) is None:
        return ()
    with open_databases(files) as databases:
        sources = _only_used_by(table, files, graph, lake)
        for name, database in databases.items():
            database.drop(lake.lake_id, [source for source in sources if source.connection == name])
    for source in sources:
        lake.drop(source.name)
    lake.drop(table.name)
    return (f"stream table {table.name}", *(f"capture of {source.name}" for source in sources))


def drop_all(files: ProjectFiles, lake: DeltaLake | None) -> tuple[str, ...]:
    """Remove triggers, functions, buffers, registration and the lake."""
    if lake is None:
        return ()
    removed: list[str] = []
    with open_databases(files) as databases:
        for name, database in databases.items():
            database.drop(lake.lake_id, None)
            removed.append(f"capture in database {name}")
    lake.drop_all()
    return (*removed, f"lake {files.lake}")


def _only_used_by(table: StreamTable, files: ProjectFiles, graph: Graph, lake: DeltaLake) -> list[SourceTable]:
    kept: set[RelationName] = {
        name for other in graph.tables if other.name != table.name and lake.stored(other.name) for name in other.inputs
    }
    return [source for source in files.sources if source.name in table.inputs and source.name not in kept]
