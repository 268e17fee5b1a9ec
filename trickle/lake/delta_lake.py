"""The Delta tables of one project, behind the `Lake` port."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self

import pyarrow as pa
import pyarrow.dataset as pads

from trickle.errors import CorruptLakeError, ProjectError
from trickle.failpoint import failpoint
from trickle.lake import commits, cuts, identity, removal
from trickle.lake.delta import Delta
from trickle.lake.journal import Journal
from trickle.lake.layout import Layout, local_root, staging_in
from trickle.lake.mirror import LogWriter
from trickle.lake.parquet import add_action, conform, write_files
from trickle.lake.relation import Relation
from trickle.lake.store import Store, missing
from trickle.lake.types import arrow_schema, log_schema
from trickle.model.epoch import Cut
from trickle.model.files import StoredRows, WrittenFiles
from trickle.model.names import Name, RelationName, StateName
from trickle.model.ports import SourceChanges, Stamp, Stored
from trickle.model.schema import TableSchema


class DeltaLake:
    """A lake below a local folder.

    One object serves one run: it remembers what it saw of each table, and a commit by anyone else in between makes
    its own next commit there fail with FencedError.
    """

    def __init__(self, root: str) -> None:
        self._layout = Layout(local_root(root))
        self._store = Store(self._layout)
        self._epochs = Journal(Delta(self._layout.epochs, "epochs"))
        self._history = Journal(Delta(self._layout.history, "history"))

    @classmethod
    def open(cls, root: str) -> Self | None:
        """Open a lake, None where there is none; raises ProjectError when its format is unknown."""
        lake = cls(root)
        if lake._epochs.snapshot() is None:
            return None
        lake._identify()
        return lake

    @classmethod
    def open_or_create(cls, root: str) -> Self:
        """Open a lake, creating it where there is none."""
        lake = cls(root)
        if lake._epochs.snapshot() is None:
            created = Journal(Delta(lake._layout.epochs, "epochs", identity.new_identity()))
            created.create(cuts.SCHEMA)
        lake._identify()
        return lake

    @property
    def lake_id(self) -> str:
        return self._identify()

    def _identify(self) -> str:
        snapshot = self._epochs.snapshot()
        if snapshot is None:
            raise ProjectError(f'lake "{self._layout.root}" does not exist', hint="trickle run creates it")
        return identity.lake_id(snapshot.description, self._layout.root)

    # --- cuts and history ---

    def cuts(self) -> tuple[Cut, ...]:
        rows = self._epochs.rows()
        return () if rows is None else cuts.newest(rows)

    def record(self, cut: Cut) -> None:
        """Append a record of a cut; recording the same state again does nothing."""
        self._epochs.fence()
        known = self.cuts()
        if known and known[-1] == cut:
            return
        cuts.check_follows(known, cut)
        self._epochs.append(cuts.to_rows(cut), "cut", {"trickle.epoch": str(cut.epoch), "trickle.run": cut.run_id})
        failpoint(f"lake.cut_{cut.state.value}")

    def append_history(self, rows: pa.Table) -> None:
        self._history.append(rows, "history", {})

    def history(self, limit: int | None = None) -> pa.Table:
        """What `append_history` was given, newest first; a table without columns before the first."""
        rows = self._history.rows()
        if rows is None:
            return pa.table({})
        newest_first = rows.take(pa.array(range(rows.num_rows - 1, -1, -1), pa.int64()))
        return newest_first if limit is None else newest_first.slice(0, limit)

    # --- reading ---

    def stored(self, name: Name) -> Stored | None:
        found = self._store.read(name)
        return None if found is None else found.stored()

    def rows_at(self, name: Name, epoch: int) -> StoredRows:
        return self._store.need(name).rows_at(epoch)

    def changes(self, name: Name, after: int, upto: int) -> StoredRows:
        return self._store.need(name).changes(after, upto)

    def table(self, name: RelationName) -> pa.Table:
        found = self._store.need(name)
        schema = arrow_schema(found.schema)
        paths = list(found.table.paths()) if found.table else []
        return pads.dataset(paths, schema=schema).to_table() if paths else schema.empty_table()

    # --- mirrors ---

    def create(self, name: RelationName, schema: TableSchema, rows: pa.RecordBatchReader, stamp: Stamp) -> int:
        """Write the base first, which decides, and restart the log; a crash in between leaves the base alone valid."""
        arrow = arrow_schema(schema)
        batches = (conform(batch, arrow, str(name)) for batch in rows)
        paths = write_files(self.staging(name, log=False), arrow, batches)
        failpoint("lake.base_written")
        commits.replace_table(self._store, name, schema, paths, stamp)
        commits.restart_log(self._store, name, schema, None, stamp)
        return self._store.need(name).stored().rows

    def append(self, name: RelationName, changes: SourceChanges, stamp: Stamp) -> int:
        held = self._current(name)
        if held.epoch >= stamp.epoch:
            return held.stored().changes.get(stamp.epoch, 0)
        log = LogWriter(name, held.schema, stamp.epoch)
        written = self._append(held, log.weighted(changes.rows), stamp)
        if changes.truncated:
            written += self._append(held, log.negated(held.rows_at(held.epoch)), stamp)
        return self._commit_append(held, written, stamp)

    def resync(self, name: RelationName, rows: pa.RecordBatchReader, stamp: Stamp) -> int:
        held = self._current(name)
        if held.epoch >= stamp.epoch:
            return held.stored().changes.get(stamp.epoch, 0)
        log = LogWriter(name, held.schema, stamp.epoch)
        written = self._append(held, log.plain(rows, 1), stamp)
        written += self._append(held, log.negated(held.rows_at(held.epoch)), stamp)
        return self._commit_append(held, written, stamp)

    def _append(self, held: Relation, batches: Iterable[pa.RecordBatch], stamp: Stamp) -> tuple[str, ...]:
        log = LogWriter(held.name, held.schema, stamp.epoch)
        return write_files(self.staging(held.name, log=True), log.arrow, batches)

    def _commit_append(self, held: Relation, paths: tuple[str, ...], stamp: Stamp) -> int:
        folder = self._layout.log(held.name)
        add = [add_action(folder, path, log_schema(held.schema)) for path in paths]
        failpoint("lake.changes_written")
        commits.add_to_log(self._store, held, add, stamp, held.epoch)
        return self._store.need(held.name).stored().changes.get(stamp.epoch, 0)

    def _current(self, name: RelationName) -> Relation:
        held = self._store.current(name)
        if held is None:
            raise missing(name)
        return held

    # --- the engine's files ---

    def staging(self, name: Name, *, log: bool) -> str:
        if log:
            return staging_in(self._layout.log(name))
        if isinstance(name, StateName):
            raise CorruptLakeError(f'"{name}": operator state has a change log only')
        return staging_in(self._layout.table(name))

    def commit_log(self, name: Name, files: WrittenFiles, stamp: Stamp, after: int) -> None:
        commits.commit_log(self._store, name, files, stamp, after)

    def restart_log(self, name: Name, schema: TableSchema, files: WrittenFiles | None, stamp: Stamp) -> None:
        commits.restart_log(self._store, name, schema, files, stamp)

    def commit_table(
        self, name: RelationName, files: WrittenFiles, removed: Sequence[str] | None, stamp: Stamp
    ) -> None:
        if removed is None:
            commits.replace_table(self._store, name, files.schema, files.paths, stamp)
        else:
            commits.fold_table(self._store, name, files, removed, stamp)

    # --- removal ---

    def vacuum(self, name: Name, keep_hours: int) -> int:
        """Delete files of a relation that no version newer than this needs, and files that were never committed."""
        deltas = [self._store.log(name)]
        if isinstance(name, RelationName):
            deltas.append(self._store.table(name))
        return sum(delta.vacuum(keep_hours) for delta in deltas)

    def drop(self, name: Name) -> None:
        """Remove a relation with its log and its operators' state, or one operator's state."""
        if isinstance(name, RelationName):
            removal.remove(self._layout, self._layout.table(name))
            removal.remove(self._layout, self._layout.states(name))
        removal.remove(self._layout, self._layout.log(name))
        self._store.forget()

    def drop_all(self) -> None:
        removal.remove_all(self._layout)
        self._store.forget()
        self._epochs = Journal(Delta(self._layout.epochs, "epochs"))
        self._history = Journal(Delta(self._layout.history, "history"))
