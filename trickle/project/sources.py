"""Read `sources/*.yml`: the PostgreSQL tables whose changes are captured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from trickle.errors import Location, ProjectError
from trickle.model.names import RelationName
from trickle.model.schema import Column
from trickle.model.stream_table import CdcMode, SourceTable
from trickle.model.suggest import did_you_mean
from trickle.project.files import ProjectSettings
from trickle.project.functions import Values
from trickle.project.schema_check import check_yaml
from trickle.project.spark_type import spark_type
from trickle.project.template import render_value
from trickle.project.text import FileText
from trickle.project.yaml_file import YamlFile, compose, construct, render_scalars


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry below `tables:` of a source, and where it stands."""

    yaml_file: YamlFile
    source: Mapping[str, Any]
    table: Mapping[str, Any]
    path: tuple[str | int, ...]

    @property
    def name(self) -> RelationName:
        return RelationName(self.source["name"], self.table["name"])


def load_sources(files: Sequence[FileText], settings: ProjectSettings, values: Values) -> tuple[SourceTable, ...]:
    """All source tables, in the order of the files."""
    found: dict[tuple[str, str], SourceTable] = {}
    captured: dict[tuple[str, str, str], SourceTable] = {}
    for entry in (entry for file in files for entry in _entries(_read(file, values), settings)):
        table = _source_table(entry, settings)
        key = (table.name.schema.casefold(), table.name.table.casefold())
        place = (table.connection, table.pg_schema, table.pg_table)
        first = found.get(key) or captured.get(place)
        if first:
            raise _duplicate(entry, first)
        found[key] = captured[place] = table
    return tuple(found.values())


def _read(file: FileText, values: Values) -> YamlFile:
    def render(text: str, where: Location) -> str:
        return render_value(text, file, where, values.functions())

    node = compose(file)
    render_scalars(file, node, render)
    yaml_file = construct(file, node)
    check_yaml(yaml_file, "sources")
    return yaml_file


def _entries(yaml_file: YamlFile, settings: ProjectSettings) -> list[_Entry]:
    entries = []
    value = cast("dict[str, Any]", yaml_file.value)
    for number, source in enumerate(value["sources"]):
        _check_connection(yaml_file, ("sources", number), source, settings)
        for position, table in enumerate(source["tables"]):
            plain = {"name": table} if isinstance(table, str) else table
            entries.append(_Entry(yaml_file, source, plain, ("sources", number, "tables", position)))
    return entries


def _check_connection(
    yaml_file: YamlFile, path: tuple[str | int, ...], source: Mapping[str, Any], settings: ProjectSettings
) -> None:
    connection = source.get("connection", source["name"])
    if connection in settings.connections:
        return
    hint = did_you_mean(connection, settings.connections, "connections")
    message = f'target "{settings.target}" has no connection "{connection}"'
    raise yaml_file.error(message, (*path, "connection" if "connection" in source else "name"), hint=hint)


def _source_table(entry: _Entry, settings: ProjectSettings) -> SourceTable:
    source, table = entry.source, entry.table
    return SourceTable(
        name=entry.name,
        connection=source.get("connection", source["name"]),
        pg_schema=source.get("schema", "public"),
        pg_table=table.get("identifier", table["name"]),
        cdc_mode=CdcMode(table.get("cdc_mode") or source.get("cdc_mode") or settings.defaults.cdc_mode),
        columns=_columns(entry),
        location=entry.yaml_file.value_location(entry.path),
    )


def _columns(entry: _Entry) -> tuple[Column, ...]:
    columns: dict[str, Column] = {}
    for name, written in entry.table.get("columns", {}).items():
        path = (*entry.path, "columns", name)
        if name.casefold() in columns:
            other = columns[name.casefold()].name
            raise entry.yaml_file.error(f'columns "{other}" and "{name}" differ only by case', path)
        kind = written.strip()
        required = kind.lower().endswith(" not null")
        try:
            typed = spark_type(kind[: -len(" not null")] if required else kind)
        except ValueError as error:
            raise entry.yaml_file.error(f'column "{name}": {error}', path) from error
        columns[name.casefold()] = Column(name, typed, nullable=not required)
    return tuple(columns.values())


def _duplicate(entry: _Entry, first: SourceTable) -> ProjectError:
    hint = f"it is also declared at {first.location}"
    if first.name == entry.name:
        message = f'source table "{entry.name}" is declared twice'
    elif str(first.name).casefold() == str(entry.name).casefold():
        message = f'source tables "{first.name}" and "{entry.name}" differ only by case'
        hint = "give one another name, and its PostgreSQL name as identifier:"
    else:
        message = f'source tables "{first.name}" and "{entry.name}" are the same PostgreSQL table'
    return entry.yaml_file.error(message, entry.path, hint=hint)
