"""A short Delta table that grows by a few rows a run, read in the order they were written."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import Schema
from deltalake.transaction import AddAction

from trickle.lake.delta import Change, Delta, Snapshot
from trickle.lake.layout import STAGING_PREFIX
from trickle.lake.marks import Marks

MOST_FILES = 32


class Journal:
    """Rows in the order of their commits; the number of the commit leads each file's name.

    Every so often a commit gathers all files into one, so that reading stays cheap.
    """

    def __init__(self, delta: Delta) -> None:
        self._delta = delta
        self._read: tuple[int, pa.Table] | None = None

    def create(self, schema: pa.Schema) -> None:
        self._delta.commit(Change("journal", Schema.from_arrow(schema), Marks(sequence=0)), None)

    def snapshot(self) -> Snapshot | None:
        return self._delta.read()

    def rows(self) -> pa.Table | None:
        """All rows, oldest first; None before the first commit."""
        snapshot = self._delta.read()
        if snapshot is None:
            return None
        if self._read is None or self._read[0] != snapshot.version:
            self._read = (snapshot.version, _content(snapshot))
        return self._read[1]

    def fence(self) -> None:
        """Refuse to go on when another run has appended since this one last looked."""
        self._delta.current()

    def append(self, rows: pa.Table, kind: str, notes: Mapping[str, str]) -> None:
        """Commit some rows, fenced."""
        snapshot = self._delta.current()
        sequence = ((snapshot.marks.sequence or 0) if snapshot else 0) + 1
        gather = snapshot is not None and _must_gather(snapshot, rows.schema)
        if snapshot is not None and gather:
            rows = pa.concat_tables([_content(snapshot), rows], promote_options="permissive")
        change = Change(
            kind,
            Schema.from_arrow(rows.schema),
            Marks(sequence=sequence),
            add=(_file(self._delta.path, sequence, rows),),
            remove=None if gather else (),
            notes=notes,
        )
        self._delta.commit(change, snapshot)


def _must_gather(snapshot: Snapshot, schema: pa.Schema) -> bool:
    return len(snapshot.files) >= MOST_FILES or Schema.from_arrow(schema).to_json() != snapshot.schema.to_json()


def _content(snapshot: Snapshot) -> pa.Table:
    ordered = sorted(snapshot.paths())
    if not ordered:
        return pa.schema(snapshot.schema).empty_table()
    return pa.concat_tables([pq.ParquetFile(path).read() for path in ordered], promote_options="permissive")


def _file(folder: str, sequence: int, rows: pa.Table) -> AddAction:
    name = f"{STAGING_PREFIX}{sequence:012d}-{os.urandom(8).hex()}.parquet"
    path = os.path.join(folder, name)
    os.makedirs(folder, exist_ok=True)
    pq.write_table(rows, path, compression="zstd", store_schema=False, coerce_timestamps="us")
    status = os.stat(path)
    stats = json.dumps({"numRecords": rows.num_rows})
    return AddAction(name, status.st_size, {}, int(status.st_mtime * 1000), data_change=True, stats=stats)
