"""What commands answer with: values that the CLI renders and programs read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from trickle.errors import Location


class ChosenMode(StrEnum):
    """What a refresh does."""

    FULL = "FULL"
    """Recompute and write the difference."""
    DIFFERENTIAL = "DIFFERENTIAL"
    """Run the delta SQL."""
    NO_DATA = "NO_DATA"
    """Nothing changed: no Spark, no commit."""


@dataclass(frozen=True, slots=True)
class TablePlan:
    """What a run would do with one stream table; `pending_rows` counts waiting change rows by input.

    `mode` is empty when the table would fail, with the reason why.
    """

    name: str
    declared_mode: str
    mode: ChosenMode | None
    reason: str
    location: Location
    pending_rows: Mapping[str, int | None]
    upstream: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlanReport:
    """The answer of `trickle plan`."""

    epoch: int
    tables: tuple[TablePlan, ...]


class RunStatus(StrEnum):
    """How a table's refresh ended."""

    OK = "ok"
    """Refreshed, or nothing to do."""
    ERROR = "error"
    """Failed; the table keeps its previous epoch."""
    SKIPPED = "skipped"
    """Not tried, because something upstream failed or lacks a common epoch."""


@dataclass(frozen=True, slots=True)
class TableRun:
    """What a run did with one stream table."""

    name: str
    mode: ChosenMode | None
    reason: str
    rows_inserted: int
    rows_deleted: int
    seconds: float
    status: RunStatus
    error: str = ""


@dataclass(frozen=True, slots=True)
class SourceRun:
    """What a run captured of one source; `part` is copy, changes or resync, empty when nothing was pending."""

    name: str
    part: str
    rows: int
    seconds: float
    status: RunStatus
    reason: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class RunReport:
    """The answer of `trickle run`."""

    run_id: str
    epoch: int
    ok: bool
    tables: tuple[TableRun, ...]
    sources: tuple[SourceRun, ...] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """One step of a run as it happens: `kind` is source or table, `status` running, ok, error or skipped."""

    kind: str
    name: str
    status: str
    mode: str = ""
    reason: str = ""
    rows: int = 0
    seconds: float = 0.0
    error: str = ""


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """One source as `trickle status` shows it; unknown figures are None when the database is not reachable."""

    name: str
    cdc_mode: str
    state: str
    lag_bytes: int | None
    pending_rows: int | None


@dataclass(frozen=True, slots=True)
class TableStatus:
    """One stream table as `trickle status` shows it; `last_refresh` is an ISO time, empty before the first."""

    name: str
    epoch: int | None
    mode: str
    rows: int | None
    last_refresh: str
    status: str


@dataclass(frozen=True, slots=True)
class StatusReport:
    """The answer of `trickle status`."""

    epoch: int
    sources: tuple[SourceStatus, ...]
    tables: tuple[TableStatus, ...]


@dataclass(frozen=True, slots=True)
class Verification:
    """Whether one relation equals its query; `rows` are differing rows, their last value `found - expected`."""

    name: str
    equal: bool
    epoch: int
    against: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[object, ...], ...] = ()
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """One line of `trickle doctor`."""

    name: str
    ok: bool
    detail: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """How one stream table is refreshed: its operator tree with laws, and the SQL of each statement by title."""

    name: str
    tree: str
    statements: Mapping[str, str] = field(default_factory=dict)
    refused: str = ""
