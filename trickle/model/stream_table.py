"""What a project declares: sources, connections and stream tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from trickle.errors import Location
from trickle.model.names import RelationName
from trickle.model.schema import Column


class RefreshMode(StrEnum):
    """How a stream table is declared to be refreshed."""

    AUTO = "auto"
    """Decide at each refresh."""
    FULL = "full"
    """Recompute, and write the difference."""
    DIFFERENTIAL = "differential"
    """Run the delta SQL, or fail with the reason."""
    IMMEDIATE = "immediate"
    """Inside the writer's transaction; not available."""


class CdcMode(StrEnum):
    """How a source's changes are captured."""

    AUTO = "auto"
    """Triggers first, the WAL when it is safe."""
    TRIGGER = "trigger"
    """Statement triggers."""
    WAL = "wal"
    """Logical decoding."""


class Dialect(StrEnum):
    """The SQL dialect the project's queries are written in."""

    SPARK = "spark"
    """Spark SQL."""
    POSTGRES = "postgres"
    """PostgreSQL, transpiled to Spark SQL."""


@dataclass(frozen=True, slots=True)
class Connection:
    """A PostgreSQL database: one of trickle's own (`embedded`) or one reached by `dsn`.

    `seed` is the path of an SQL file, run once when an embedded database is created.
    """

    name: str
    dsn: str = field(default="", repr=False)
    embedded: bool = False
    seed: str = ""

    def __post_init__(self) -> None:
        if bool(self.dsn) == self.embedded:
            raise ValueError(f"connection {self.name!r} needs either a dsn or embedded: true")
        if self.seed and not self.embedded:
            raise ValueError(f"connection {self.name!r}: only an embedded database is seeded")


@dataclass(frozen=True, slots=True)
class SourceTable:
    """A PostgreSQL table whose changes are captured."""

    name: RelationName
    connection: str
    pg_schema: str
    pg_table: str
    cdc_mode: CdcMode = CdcMode.AUTO
    columns: tuple[Column, ...] = ()
    location: Location | None = None


@dataclass(frozen=True, slots=True)
class StreamTable:
    """A query kept up to date; `sql` is rendered, in `dialect`, naming its inputs as `schema.table`."""

    name: RelationName
    sql: str
    location: Location
    raw: str = ""
    dialect: Dialect = Dialect.SPARK
    refresh_mode: RefreshMode = RefreshMode.AUTO
    schedule: str = "1m"
    tags: tuple[str, ...] = ()
    description: str = ""
    exact_floats: bool = False
    inputs: tuple[RelationName, ...] = ()
