"""Stored rows as lists of Parquet files: what the lake hands to the engine."""

from __future__ import annotations

from dataclasses import dataclass

from trickle.model.names import Name
from trickle.model.schema import TableSchema


@dataclass(frozen=True, slots=True)
class FilePart:
    """Files of one Delta table that count with `sign`.

    Without `epochs` every row weighs 1. With `epochs = (after, upto)` the files are a change log: only rows with
    `after < __epoch <= upto` count, each with its own `__w`.
    """

    paths: tuple[str, ...]
    sign: int = 1
    epochs: tuple[int, int] | None = None
    rows: int = 0


@dataclass(frozen=True, slots=True)
class StoredRows:
    """A Z-set on disk: the union of its parts."""

    name: Name
    schema: TableSchema
    parts: tuple[FilePart, ...]

    @property
    def plain(self) -> bool:
        """Whether every row weighs exactly 1, so that no consolidation is needed."""
        return all(part.epochs is None and part.sign == 1 for part in self.parts)


@dataclass(frozen=True, slots=True)
class WrittenFiles:
    """Parquet files the engine wrote below `directory`, not yet committed.

    For a change log `inserted` and `deleted` count its rows by the sign of their weight, repeated as they weigh.
    """

    directory: str
    paths: tuple[str, ...]
    schema: TableSchema
    rows: int
    inserted: int = 0
    deleted: int = 0

    def as_rows(self, name: Name) -> StoredRows:
        """The files of a table, read before they are committed."""
        return StoredRows(name, self.schema, (FilePart(self.paths, rows=self.rows),))
