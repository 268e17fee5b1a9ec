"""A relation's state at an epoch: its folded table, its change log, and which of the two decides.

A table at base epoch `b` and a log over `(since, epoch]` belong together when `since <= b <= epoch`. Then the state is

    at e >= b:   table + log rows in (b, e]
    at e <  b:   table - log rows in (e, b]

Otherwise one of them was begun anew and a crash came before the other followed. The table is complete by itself, so it
alone counts, and the log is void until its next commit replaces it. The same holds when both are at one epoch with
different fingerprints: they were made by different queries.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import pyarrow.compute as pc
import pyarrow.parquet as pq

from trickle.errors import CorruptLakeError
from trickle.lake.delta import DataFile, Snapshot
from trickle.lake.types import same_columns, table_schema, without_log_columns
from trickle.model.files import FilePart, StoredRows
from trickle.model.names import Name
from trickle.model.ports import Stored
from trickle.model.schema import TableSchema


@dataclass(frozen=True, slots=True)
class Relation:
    """What the lake holds of one name; `table` is None for operator state, `log` where none is in force.

    `void` is a log that exists but does not count.
    """

    name: Name
    table: Snapshot | None
    log: Snapshot | None
    void: Snapshot | None = None

    @property
    def base(self) -> int | None:
        return None if self.table is None else _number(self.table.marks.base, self.name)

    @property
    def epoch(self) -> int:
        return _number(self.log.marks.epoch if self.log else self.base, self.name)

    @property
    def since(self) -> int:
        return _number(self.log.marks.since if self.log else self.base, self.name)

    @property
    def fingerprint(self) -> str:
        decides = self.log or self.table
        return decides.marks.fingerprint if decides else ""

    @property
    def schema(self) -> TableSchema:
        if self.table is not None:
            return table_schema(self.table.schema)
        if self.log is not None:
            return without_log_columns(table_schema(self.log.schema))
        raise _contradiction(self.name, "it has neither table nor log")

    def stored(self) -> Stored:
        """A summary; its rows are exact for a folded table, and at most too many while changes are pending."""
        changes = self._changes()
        folded = sum(file.rows for file in self.table.files) if self.table else 0
        pending = sum(count for epoch, count in changes.items() if self.base is None or epoch > self.base)
        return Stored(
            self.name, self.schema, self.epoch, self.base, self.since, self.fingerprint, folded + pending, changes
        )

    def rows_at(self, epoch: int) -> StoredRows:
        """The state at an epoch, as files with signs."""
        base = self.base
        if (base is None or epoch < base) and epoch < self.since:
            raise _too_early(self.name, self.since, epoch)
        if base is None:
            return self._rows(self._log_parts(self.since - 1, epoch, 1))
        parts = self._log_parts(base, epoch, 1) if epoch >= base else self._log_parts(epoch, base, -1)
        return self._rows((*self._table_parts(), *parts))

    def changes(self, after: int, upto: int) -> StoredRows:
        """The log rows with `after < epoch <= upto`."""
        if after < self.since:
            raise _too_early(self.name, self.since, after)
        return self._rows(self._log_parts(after, upto, 1))

    def files_after(self, epoch: int) -> tuple[str, ...]:
        """Log files that hold only epochs after this one."""
        late = []
        for file in self.log.files if self.log else ():
            counts = self._counts(file)
            if counts and max(counts) > epoch:
                if min(counts) <= epoch:
                    raise _contradiction(self.name, f"{file.path} mixes epochs before and after {epoch}")
                late.append(file.path)
        return tuple(late)

    def _rows(self, parts: tuple[FilePart, ...]) -> StoredRows:
        return StoredRows(self.name, self.schema, parts)

    def _table_parts(self) -> tuple[FilePart, ...]:
        if self.table is None or not self.table.files:
            return ()
        return (FilePart(self.table.paths(), rows=sum(file.rows for file in self.table.files)),)

    def _log_parts(self, after: int, upto: int, sign: int) -> tuple[FilePart, ...]:
        found = [(path, count) for path, count in self._counted(after, upto) if count]
        if not found:
            return ()
        paths = tuple(path for path, _ in found)
        return (FilePart(paths, sign, (after, upto), sum(count for _, count in found)),)

    def _counted(self, after: int, upto: int) -> Iterator[tuple[str, int]]:
        for file in self.log.files if self.log else ():
            path = os.path.join(self.log.path if self.log else "", file.path)
            yield path, sum(count for epoch, count in self._counts(file).items() if after < epoch <= upto)

    def _changes(self) -> Counter[int]:
        total: Counter[int] = Counter()
        for file in self.log.files if self.log else ():
            total.update(self._counts(file))
        return total

    def _counts(self, file: DataFile) -> Counter[int]:
        """Rows by epoch: one epoch a file as we write it, read from the file when another tool has merged some."""
        if file.first_epoch is not None and file.first_epoch == file.last_epoch:
            return Counter({file.first_epoch: file.rows})
        return _counted_in(os.path.join(self.log.path if self.log else "", file.path))


def relation(name: Name, table: Snapshot | None, log: Snapshot | None) -> Relation | None:
    """A relation with a table, and the log where it is in force; None before the table's first commit."""
    if table is None:
        return None
    if log is None or not _in_force(table, log):
        return Relation(name, table, None, log)
    if not same_columns(table_schema(table.schema), without_log_columns(table_schema(log.schema))):
        raise _contradiction(name, "its table and its change log differ in columns")
    return Relation(name, table, log)


def _in_force(table: Snapshot, log: Snapshot) -> bool:
    base, epoch, since = table.marks.base, log.marks.epoch, log.marks.since
    if base is None or epoch is None or since is None or not since <= base <= epoch:
        return False
    return base < epoch or table.marks.fingerprint == log.marks.fingerprint


def _number(mark: int | None, name: Name) -> int:
    if mark is None:
        raise _contradiction(name, "it carries no epoch")
    return mark


def _contradiction(name: Name, why: str) -> CorruptLakeError:
    return CorruptLakeError(f'"{name}": {why}', hint="drop it, so that the next run builds it anew")


def _too_early(name: Name, since: int, epoch: int) -> CorruptLakeError:
    return CorruptLakeError(f'"{name}": its change log begins at epoch {since} and cannot tell of epoch {epoch}')


@lru_cache(maxsize=4096)
def _counted_in(path: str) -> Counter[int]:
    """Rows by epoch of one change log file, whose first column is the epoch."""
    with pq.ParquetFile(path) as file:
        column = file.read(columns=file.schema_arrow.names[:1]).column(0)
    return Counter({pair["values"]: pair["counts"] for pair in pc.value_counts(column).to_pylist()})
