"""Where stages meet: the Protocols that capture, lake and engine offer to `refresh` and `app`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from trickle.errors import ProjectError
from trickle.model.epoch import Cut, Position
from trickle.model.files import StoredRows, WrittenFiles
from trickle.model.names import Name, RelationName
from trickle.model.schema import TableSchema
from trickle.model.stream_table import SourceTable

if TYPE_CHECKING:
    import pyarrow as pa


# --- capture -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SourceChanges:
    """The changes of one source in one cut: columns of the source preceded by its weight column.

    `truncated` means that everything the mirror held before this cut is gone, and `rows` is what came after.
    """

    rows: pa.RecordBatchReader
    truncated: bool = False


class OpenCut(Protocol):
    """One snapshot of one database, open for reading."""

    @property
    def position(self) -> Position: ...

    def schema(self, name: RelationName) -> TableSchema:
        """The source's columns at this snapshot."""
        ...

    def must_copy(self, name: RelationName) -> str:
        """Why this source has to be copied in this cut, or an empty string when its changes are complete."""
        ...

    def pending(self, name: RelationName) -> int:
        """How many change rows the cut holds for this source."""
        ...

    def changes(self, name: RelationName) -> SourceChanges: ...

    def copy(self, name: RelationName) -> pa.RecordBatchReader:
        """All rows of the source at this snapshot; not available on a reopened cut."""
        ...


class SourceDatabase(Protocol):
    """One PostgreSQL database with captured tables."""

    def describe(self, tables: Sequence[SourceTable]) -> Mapping[RelationName, TableSchema]:
        """Read the columns and keys of the tables; changes nothing."""
        ...

    def examine(
        self, tables: Sequence[SourceTable]
    ) -> tuple[Mapping[RelationName, TableSchema], Mapping[RelationName, ProjectError]]:
        """Like `describe`, but one table's problem does not hide the others."""
        ...

    def hold(self, lake_id: str, holder: str) -> AbstractContextManager[None]:
        """Hold the lake for one run; raises LockHeldError naming the other holder."""
        ...

    def prepare(self, lake_id: str, tables: Sequence[SourceTable]) -> Mapping[RelationName, str]:
        """Install and commit what capture needs; returns the error of each table that could not be prepared."""
        ...

    def cut(
        self,
        lake_id: str,
        tables: Sequence[SourceTable],
        since: Mapping[RelationName, Position],
        known_cuts: frozenset[str],
    ) -> AbstractContextManager[OpenCut]:
        """Open a new cut; `since` is the position of each source's last sealed cut, missing for a new source."""
        ...

    def reopen(
        self,
        lake_id: str,
        tables: Sequence[SourceTable],
        since: Mapping[RelationName, Position],
        position: Position,
    ) -> AbstractContextManager[OpenCut]:
        """Open a recorded cut again, at the same position; raises SourceError when the server has moved on."""
        ...

    def sealed(self, lake_id: str, cut: Cut, connection: str) -> None:
        """Note that the lake holds this cut, and trim what no lake needs any more."""
        ...

    def pending(
        self, lake_id: str, tables: Sequence[SourceTable], since: Mapping[RelationName, Position]
    ) -> Mapping[RelationName, int | None]:
        """Change rows waiting for each source, without changing anything; None where it is not captured yet."""
        ...

    def drop(self, lake_id: str, tables: Sequence[SourceTable] | None) -> None:
        """Remove what this lake installed for these tables, or everything it has when None."""
        ...

    def close(self) -> None: ...


# --- lake ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Stamp:
    """What every commit carries besides its rows."""

    epoch: int
    run_id: str
    fingerprint: str = ""
    mode: str = ""
    position: str = ""


@dataclass(frozen=True, slots=True)
class Stored:
    """What the lake has of one relation.

    `epoch` is the newest epoch its change log or table was committed at, `base_epoch` the one its table is folded
    to (None for operator state, which is a change log only), `since` the epoch after which the log is complete.
    `changes` counts log rows by epoch.
    """

    name: Name
    schema: TableSchema
    epoch: int
    base_epoch: int | None
    since: int
    fingerprint: str
    rows: int
    changes: Mapping[int, int]

    def pending(self, after: int, upto: int) -> int:
        """Change rows with `after < epoch <= upto`."""
        return sum(count for epoch, count in self.changes.items() if after < epoch <= upto)


class Lake(Protocol):
    """The Delta tables of one project."""

    @property
    def lake_id(self) -> str: ...

    def cuts(self) -> tuple[Cut, ...]:
        """The newest record of each cut, by epoch."""
        ...

    def record(self, cut: Cut) -> None:
        """Append a record of a cut: begun, sealed or aborted."""
        ...

    def stored(self, name: Name) -> Stored | None: ...

    def create(self, name: RelationName, schema: TableSchema, rows: pa.RecordBatchReader, stamp: Stamp) -> int:
        """Begin (or begin again) a mirror with these rows as its base; its change log restarts after this epoch."""
        ...

    def append(self, name: RelationName, changes: SourceChanges, stamp: Stamp) -> int:
        """Append a source's changes to its log (idempotent for an epoch), retracting all rows before if truncated."""
        ...

    def resync(self, name: RelationName, rows: pa.RecordBatchReader, stamp: Stamp) -> int:
        """Append the difference between these rows and the mirror to its log: `+ rows - everything before`."""
        ...

    def rows_at(self, name: Name, epoch: int) -> StoredRows:
        """The relation's state at an epoch; raises CorruptLakeError when the log does not reach back."""
        ...

    def changes(self, name: Name, after: int, upto: int) -> StoredRows: ...

    def table(self, name: RelationName) -> pa.Table:
        """The folded table as other tools see it."""
        ...

    def staging(self, name: Name, *, log: bool) -> str:
        """A fresh directory inside the relation's table or log for the engine to write files into."""
        ...

    def commit_log(self, name: Name, files: WrittenFiles, stamp: Stamp, after: int) -> None:
        """Add files to a change log at `stamp.epoch`, dropping what a crash left there newer than `after`."""
        ...

    def restart_log(self, name: Name, schema: TableSchema, files: WrittenFiles | None, stamp: Stamp) -> None:
        """Replace a change log: it is complete only after (for state: from) `stamp.epoch`."""
        ...

    def commit_table(
        self, name: RelationName, files: WrittenFiles, removed: Sequence[str] | None, stamp: Stamp
    ) -> None:
        """Fold: add files and remove others (all when None); the table's base epoch becomes `stamp.epoch`."""
        ...

    def append_history(self, rows: pa.Table) -> None:
        """Append to `_trickle/history`."""
        ...

    def history(self, limit: int | None = None) -> pa.Table:
        """What was appended there, newest first."""
        ...

    def drop(self, name: Name) -> None: ...

    def drop_all(self) -> None: ...


# --- engine --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Keys:
    """Values that bound what is read: those of a column of some views or stages, by name."""

    column: str
    sources: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class View:
    """A name in SQL for stored rows: with a weight column of that name, or as plain rows (duplicates repeated).

    With `settled`, weighted rows are those of the state itself, each weighing 1: a row that was added and taken away
    again is not there, so that nothing is computed over rows that do not exist. Rows whose column is not among the keys
    of `within` may be left out.
    """

    name: str
    rows: StoredRows
    weight: str = ""
    settled: bool = False
    within: Keys | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """A query computed before the statement that reads it under this name; `reads` are the views it needs."""

    name: str
    sql: str
    reads: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """A recursion computed before the statement that reads it under this name.

    `step` reads the rows found last under the name `last`. With `once`, a row is found only once. Rows are weighted by
    a column of the name `weight`, or plain when that is empty.
    """

    name: str
    base: str
    step: str
    last: str
    once: bool
    reads: tuple[str, ...] = ()
    weight: str = ""


@dataclass(frozen=True, slots=True)
class LogTarget:
    """Where weighted rows are written as a change log: the name of their weight column, their epoch, a directory."""

    weight: str
    epoch: int
    directory: str


@dataclass(frozen=True, slots=True)
class Folded:
    """The outcome of folding changes into a table: files to add, files they replace."""

    files: WrittenFiles
    removed: tuple[str, ...]


class Engine(Protocol):
    """Spark."""

    @property
    def started(self) -> bool:
        """Whether the JVM is running, so that more work costs little."""
        ...

    def write_changes(
        self, views: Sequence[View], sql: str, log: LogTarget, stages: Sequence[Stage | Loop] = ()
    ) -> WrittenFiles:
        """Run a query that yields weighted rows; write them consolidated, with their epoch, as a change log."""
        ...

    def write_rows(self, views: Sequence[View], sql: str, directory: str, loops: Sequence[Loop] = ()) -> WrittenFiles:
        """Run a query and write its rows."""
        ...

    def write_difference(self, new: StoredRows, old: StoredRows, epoch: int, directory: str) -> WrittenFiles:
        """Write `new - old` as a change log."""
        ...

    def fold(self, base: StoredRows, changes: StoredRows, directory: str) -> Folded:
        """Apply changes to a table's files, rewriting only files that lose rows."""
        ...

    def differing_rows(
        self, views: Sequence[View], left_sql: str, right_sql: str, limit: int, loops: Sequence[Loop] = ()
    ) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """Rows whose multiplicity differs: columns (last is `left - right`) and at most `limit` rows."""
        ...

    def schema(self, views: Sequence[View], sql: str, loops: Sequence[Loop] = ()) -> TableSchema:
        """The columns a query yields."""
        ...

    def close(self) -> None: ...
