"""Load a project folder: files in, values out; nothing is ever written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path

from trickle.errors import Location, ProjectError
from trickle.project.files import ProjectFiles, ProjectSettings
from trickle.project.functions import Values
from trickle.project.properties import Properties, load_properties
from trickle.project.settings import load_settings
from trickle.project.sources import load_sources
from trickle.project.tables import TableLoader, table_names
from trickle.project.template import Templates
from trickle.project.text import FileText, read_text


def load_project(
    directory: Path, target: str | None, variables: Mapping[str, object], environ: Mapping[str, str]
) -> ProjectFiles:
    """Read the whole project for one target; raises ProjectError at the first thing that is wrong."""
    root = directory.resolve()
    if not root.is_dir():
        raise ProjectError(f"no folder {directory}", hint="pass --project-dir, or run trickle init NAME")
    settings = load_settings(root, target, Values(variables, environ))
    values = Values(settings.variables, environ)
    sources = load_sources(_read(root, "sources", ".yml", ".yaml"), settings, values)
    files = table_names(_table_files(root))
    properties = load_properties(_read(root, "tables", ".yml", ".yaml"), files)
    macro_files = _read(root, "macros", ".sql")
    templates = Templates(_by_path(files.values()), _by_path(macro_files))
    tables = TableLoader(settings, values, sources, properties, templates).load(files)
    return ProjectFiles(
        **{field.name: getattr(settings, field.name) for field in fields(ProjectSettings)},
        sources=sources,
        tables=tables,
        macros=templates.macros,
        tests=tuple(_paths(root, "tests", ".sql")),
        column_docs={
            table.name: properties.get(table.name.table, Properties()).columns
            for table in tables
            if table.name.table in properties
        },
    )


def _paths(root: Path, folder: str, *suffixes: str) -> list[Path]:
    found = (path for path in (root / folder).rglob("*") if path.suffix in suffixes and path.is_file())
    return sorted(path for path in found if not path.name.startswith("."))


def _read(root: Path, folder: str, *suffixes: str) -> list[FileText]:
    return [read_text(root, path) for path in _paths(root, folder, *suffixes)]


def _by_path(files: Iterable[FileText]) -> dict[str, FileText]:
    return {file.path: file for file in files}


def _table_files(root: Path) -> list[FileText]:
    if not (root / "tables").is_dir():
        hint = "write one .sql file a stream table into tables/"
        raise ProjectError("the project has no tables folder", location=Location("tables"), hint=hint)
    files = _read(root, "tables", ".sql")
    if not files:
        hint = "write one .sql file a stream table into tables/"
        raise ProjectError("the project has no stream tables", location=Location("tables"), hint=hint)
    return files
