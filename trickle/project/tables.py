"""Read `tables/**/*.sql`: render each file into a stream table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, cast

from trickle.errors import Location, ProjectError
from trickle.model.names import DEFAULT_SCHEMA, RelationName
from trickle.model.stream_table import RefreshMode, SourceTable, StreamTable
from trickle.project.files import ProjectSettings
from trickle.project.functions import KnownRelations, TableFunctions, Values
from trickle.project.properties import Properties
from trickle.project.template import Templates, config_lines
from trickle.project.text import FileText

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SQL_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Rendered:
    """One file after rendering: its SQL, and what its template asked for."""

    file: FileText
    sql: str
    settings: Mapping[str, Any]
    inputs: tuple[RelationName, ...]


def table_names(files: Sequence[FileText]) -> dict[str, FileText]:
    """The files by the names of their stream tables; names are unique in the whole project."""
    found: dict[str, FileText] = {}
    for file in files:
        name = PurePosixPath(file.path).stem
        if not _NAME.fullmatch(name):
            hint = "use letters, digits and _, and begin with a letter"
            raise ProjectError(f'"{name}" cannot name a stream table', location=Location(file.path), hint=hint)
        other = next((known for known in found if known.casefold() == name.casefold()), None)
        if other:
            message = f'duplicate stream table "{name}"'
            hint = f"{found[other].path} has the same name; rename one of the files"
            raise ProjectError(message, location=Location(file.path), hint=hint)
        found[name] = file
    return found


@dataclass(frozen=True, slots=True)
class TableLoader:
    """Renders stream tables against the sources, settings and properties of one project."""

    settings: ProjectSettings
    values: Values
    sources: tuple[SourceTable, ...]
    properties: Mapping[str, Properties]
    templates: Templates

    def load(self, files: Mapping[str, FileText]) -> tuple[StreamTable, ...]:
        """Render every file; a second time when schemas are configured, since refs name them."""
        names = {name: RelationName(DEFAULT_SCHEMA, name) for name in files}
        rendered = self._render(files, names)
        configured = {name: RelationName(self._schema(name, one), name) for name, one in rendered.items()}
        if configured != names:
            rendered = self._render(files, configured)
        tables = tuple(self._table(configured[name], one) for name, one in rendered.items())
        for table in tables:
            self._check_clash(table)
        return tables

    def _render(self, files: Mapping[str, FileText], names: Mapping[str, RelationName]) -> dict[str, _Rendered]:
        known = KnownRelations(self.settings.dialect, frozenset(source.name for source in self.sources), names)
        return {name: self._render_one(file, names[name], known) for name, file in files.items()}

    def _render_one(self, file: FileText, name: RelationName, known: KnownRelations) -> _Rendered:
        functions = TableFunctions(name, known, self.values, config_lines(file.text))
        sql = self.templates.render(file.path, functions.functions())
        if not _SQL_COMMENT.sub("", sql).strip(" \t\r\n;"):
            hint = "write a SELECT, or delete the file"
            raise file.error(f'stream table "{name.table}" has no query', 0, hint=hint)
        return _Rendered(file, sql, functions.settings, tuple(functions.inputs))

    def _schema(self, name: str, rendered: _Rendered) -> str:
        declared = self.properties.get(name, Properties()).config
        return cast("str", rendered.settings.get("schema", declared.get("schema", DEFAULT_SCHEMA)))

    def _table(self, name: RelationName, rendered: _Rendered) -> StreamTable:
        properties = self.properties.get(name.table, Properties())
        config = {**properties.config, **rendered.settings}
        mode = RefreshMode(config.get("refresh_mode", self.settings.defaults.refresh_mode))
        if mode is RefreshMode.IMMEDIATE:
            raise self._immediate(name, rendered)
        tags = (*_words(properties.config.get("tags", ())), *_words(rendered.settings.get("tags", ())))
        return StreamTable(
            name=name,
            sql=rendered.sql,
            location=_query_location(rendered.file),
            raw=rendered.file.text,
            dialect=self.settings.dialect,
            refresh_mode=mode,
            exact_floats=bool(config.get("exact_floats", self.settings.defaults.exact_floats)),
            schedule=config.get("schedule", self.settings.defaults.schedule),
            tags=tuple(dict.fromkeys(tags)),
            description=rendered.settings.get("description") or properties.description,
            inputs=rendered.inputs,
        )

    def _immediate(self, name: RelationName, rendered: _Rendered) -> ProjectError:
        wal = [source for source in self.sources if source.name in rendered.inputs and source.cdc_mode == "wal"]
        message = f'stream table "{name}": refresh_mode immediate is not yet available'
        if wal:
            message = f'stream table "{name}": refresh_mode immediate cannot be combined with cdc_mode wal'
            message += f' of source "{wal[0].name}"'
        hint = "use refresh_mode auto, differential or full"
        if "refresh_mode" in rendered.settings:
            return rendered.file.error(message, max(rendered.file.text.find("refresh_mode"), 0), hint=hint)
        properties = self.properties.get(name.table, Properties())
        declared = properties.location if "refresh_mode" in properties.config else Location("trickle.yml")
        return ProjectError(message, location=declared, hint=hint)

    def _check_clash(self, table: StreamTable) -> None:
        for source in self.sources:
            if _folded(source.name) == _folded(table.name):
                message = f'stream table "{table.name.schema}.{table.name.table}" has the name of a source table'
                hint = f"the source is declared at {source.location}; rename one, or configure another schema"
                raise ProjectError(message, location=Location(table.location.file), hint=hint)


def _words(tags: object) -> tuple[str, ...]:
    return (tags,) if isinstance(tags, str) else tuple(cast("Sequence[str]", tags))


def _folded(name: RelationName) -> tuple[str, str]:
    return name.schema.casefold(), name.table.casefold()


def _query_location(file: FileText) -> Location:
    """Where the query begins: the first select, with or values of the file."""
    match = re.search(r"^\s*(?:select|with|values|\()", file.text, re.IGNORECASE | re.MULTILINE)
    return file.location(match.end() - len(match[0].lstrip())) if match else Location(file.path)
