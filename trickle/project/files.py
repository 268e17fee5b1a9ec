"""A loaded project: everything its files declare, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from trickle.errors import Location
from trickle.model.names import RelationName
from trickle.model.stream_table import CdcMode, Connection, Dialect, RefreshMode, SourceTable, StreamTable


@dataclass(frozen=True, slots=True)
class SparkSettings:
    """The Spark session of a target: a master, or a Spark Connect server when `remote` is set."""

    master: str = "local[*]"
    remote: str = ""
    conf: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Defaults:
    """What holds for every source and stream table that says nothing else."""

    refresh_mode: RefreshMode = RefreshMode.AUTO
    exact_floats: bool = False
    cdc_mode: CdcMode = CdcMode.AUTO
    schedule: str = "1m"


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """What `trickle.yml` says for one target; `lake` is an absolute path or a URI."""

    root: Path
    name: str
    dialect: Dialect
    lake: str
    target: str
    connections: Mapping[str, Connection]
    spark: SparkSettings
    defaults: Defaults
    variables: Mapping[str, object] = field(repr=False)


@dataclass(frozen=True, slots=True)
class ProjectFiles(ProjectSettings):
    """A whole project; `macros` says where each macro is defined, `tests` are the paths of `tests/*.sql`."""

    sources: tuple[SourceTable, ...] = ()
    tables: tuple[StreamTable, ...] = ()
    macros: Mapping[str, Location] = field(default_factory=dict)
    tests: tuple[Path, ...] = ()
    column_docs: Mapping[RelationName, Mapping[str, str]] = field(default_factory=dict)
