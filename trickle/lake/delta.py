"""One Delta table: what it holds now, and fenced commits on the very handle that was read."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import CommitProperties, DeltaTable, Schema, TableFeatures
from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError
from deltalake.transaction import AddAction, RemoveAction, create_table_with_add_actions

from trickle.errors import CorruptLakeError, FencedError
from trickle.failpoint import failpoint
from trickle.lake.marks import Marks, marks_of

_READABLE = frozenset({"timestampNtz"})


@dataclass(frozen=True, slots=True)
class DataFile:
    """An active file: its path below the table, its rows, and the bounds of its epoch column where known."""

    path: str
    rows: int
    first_epoch: int | None
    last_epoch: int | None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One version of a Delta table."""

    path: str
    version: int
    schema: Schema
    marks: Marks
    files: tuple[DataFile, ...]
    description: str = ""

    def paths(self) -> tuple[str, ...]:
        """Absolute paths of all active files."""
        return tuple(os.path.join(self.path, file.path) for file in self.files)


@dataclass(frozen=True, slots=True)
class Change:
    """What one commit does: files to add, paths to remove (all when None), the schema and marks from then on."""

    kind: str
    schema: Schema
    marks: Marks
    add: Sequence[AddAction] = ()
    remove: Sequence[str] | None = ()
    notes: Mapping[str, str] = field(default_factory=dict)


class Delta:
    """A Delta table that may not exist yet.

    `read` looks at the newest version and remembers its marks; `commit` refuses with FencedError when the marks have
    moved since, or when anyone commits between its last look and its own commit.
    """

    def __init__(self, path: str, name: str, description: str = "") -> None:
        self.path = path
        self._name = name
        self._description = description
        self._table: DeltaTable | None = None
        self._snapshot: Snapshot | None = None
        self._looked = False
        self._lock = threading.RLock()

    def read(self) -> Snapshot | None:
        """The newest version, or None when the table does not exist."""
        with self._lock:
            self._looked = True
            self._refresh()
            if self._table is not None and (self._snapshot is None or self._snapshot.version != self._table.version()):
                self._snapshot = self._load(self._table)
            return self._snapshot

    def current(self) -> Snapshot | None:
        """The newest version, for a commit to build on: fenced against marks that moved since the last look."""
        with self._lock:
            looked, before = self._looked, self._snapshot
            after = self.read()
            if looked and (before and before.marks) != (after and after.marks):
                raise FencedError(f"{self._name}: another run has committed to it", hint="run again")
            return after

    def commit(self, change: Change, on: Snapshot | None) -> None:
        """Commit on top of this snapshot, or not at all."""
        with self._lock:
            failpoint(f"lake.before_{change.kind}")
            if (self._table and self._table.version()) != (on and on.version):
                raise FencedError(f"{self._name}: another run has committed to it", hint="run again")
            try:
                if self._table is None:
                    self._create(change)
                else:
                    self._write(self._table, change)
            except CommitFailedError as error:
                raise FencedError(f"{self._name}: another commit came first", detail=str(error)) from error
            failpoint(f"lake.{change.kind}_committed")
            self.read()

    def vacuum(self, keep_hours: int) -> int:
        """Delete unreferenced files older than this, also such as no commit ever named; returns how many."""
        with self._lock:
            self.read()
            if self._table is None:
                return 0
            gone = self._table.vacuum(keep_hours, dry_run=False, enforce_retention_duration=False, full=True)
            self.read()
            return len(gone)

    def _refresh(self) -> None:
        if self._table is not None:
            self._table.update_incremental()
        elif os.path.isdir(os.path.join(self.path, "_delta_log")):
            try:
                self._table = DeltaTable(self.path)
            except TableNotFoundError:
                return

    def _load(self, table: DeltaTable) -> Snapshot:
        metadata = table.metadata()
        features = set(table.protocol().reader_features or ())
        if metadata.name != self._name:
            raise CorruptLakeError(f'{self._name}: its folder holds "{metadata.name}"', detail=self.path)
        if not features <= _READABLE:
            raise CorruptLakeError(f"{self._name}: unknown Delta features {', '.join(sorted(features - _READABLE))}")
        schema = table.schema()
        files = _files(table, self.path, schema.fields[0].name)
        return Snapshot(self.path, table.version(), schema, marks_of(table), files, metadata.description or "")

    def _create(self, change: Change) -> None:
        os.makedirs(self.path, exist_ok=True)
        try:
            create_table_with_add_actions(
                self.path,
                change.schema,
                list(change.add),
                name=self._name,
                description=self._description or None,
                commit_properties=_properties(change),
            )
        except DeltaError as error:
            if os.path.isdir(os.path.join(self.path, "_delta_log")):
                raise FencedError(f"{self._name}: another run has created it", detail=str(error)) from error
            raise

    def _write(self, table: DeltaTable, change: Change) -> None:
        if change.remove is None:
            _allow_timestamps(table, change.schema)
            actions: list[AddAction | RemoveAction] = list(change.add)
            table.create_write_transaction(actions, "overwrite", change.schema, commit_properties=_properties(change))
            return
        now = int(time.time() * 1000)
        actions = [RemoveAction(path, data_change=True, deletion_timestamp=now) for path in change.remove]
        actions += change.add
        table.create_write_transaction(actions, "append", table.schema(), commit_properties=_properties(change))


def _properties(change: Change) -> CommitProperties:
    return CommitProperties(
        custom_metadata=dict(change.notes),
        max_commit_retries=0,
        app_transactions=change.marks.transactions(),
    )


def _allow_timestamps(table: DeltaTable, schema: Schema) -> None:
    """Declare the feature a new schema needs first: delta-rs would commit without it, and nobody could open that."""
    needed = '"timestamp_ntz"' in schema.to_json()
    if needed and "timestampNtz" not in (table.protocol().reader_features or ()):
        table.alter.add_feature(
            TableFeatures.TimestampWithoutTimezone,
            allow_protocol_versions_increase=True,
            commit_properties=CommitProperties(max_commit_retries=0),
        )
        table.update_incremental()


def _files(table: DeltaTable, folder: str, first_column: str) -> tuple[DataFile, ...]:
    """The active files; the first column of a change log is its epoch, of which statistics give the bounds."""
    actions = pa.table(table.get_add_actions(flatten=True))

    def column(name: str) -> list[Any]:
        return actions.column(name).to_pylist() if name in actions.column_names else [None] * actions.num_rows

    bounds = zip(column(f"min.{first_column}"), column(f"max.{first_column}"), strict=True)
    rows = zip(map(unquote, column("path")), column("num_records"), bounds, strict=True)
    return tuple(DataFile(path, _rows(folder, path, count), *_epochs(low, high)) for path, count, (low, high) in rows)


def _rows(folder: str, path: str, count: int | None) -> int:
    """The rows of a file, from its own footer when another writer left them out of the statistics."""
    return count if count is not None else int(pq.read_metadata(os.path.join(folder, path)).num_rows)


def _epochs(low: object, high: object) -> tuple[int | None, int | None]:
    if isinstance(low, int) and isinstance(high, int):
        return low, high
    return None, None
