"""The smallest lake there is: a multiset of rows for each source, kept up to date from copies and changes."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from trickle.capture.database import PostgresDatabase
from trickle.model.epoch import Cut, CutState, Position, SourcePart
from trickle.model.names import RelationName
from trickle.model.ports import OpenCut
from trickle.model.stream_table import SourceTable

CONNECTION = "shop"


def source(table: str, schema: str = "public") -> SourceTable:
    return SourceTable(RelationName("shop", table), CONNECTION, schema, table)


def tuples(reader: pa.RecordBatchReader) -> list[tuple[Any, ...]]:
    table = reader.read_all()
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


class Lake:
    """Mirrors of the sources, and what a lake remembers of its cuts."""

    def __init__(self, dsn: str, patience: float = 30.0) -> None:
        self.database = PostgresDatabase(CONNECTION, dsn, patience)
        self.id = str(uuid.uuid4())
        self.mirrors: dict[RelationName, Counter[tuple[Any, ...]]] = {}
        self.since: dict[RelationName, Position] = {}
        self.cuts: list[Cut] = []

    def refresh(self, *tables: str | SourceTable) -> dict[str, str]:
        """One capture step; what was done for each source: its copy reason, `changes`, or nothing when idle."""
        sources = [source(t) if isinstance(t, str) else t for t in tables]
        errors = self.database.prepare(self.id, sources)
        assert not errors, errors
        return self.cut(sources)

    def cut(self, sources: Sequence[SourceTable]) -> dict[str, str]:
        with self.database.cut(self.id, sources, self.since, self.known) as cut:
            done = {one.name.table: self._take(one.name, cut) for one in sources}
            self.seal(cut.position, sources)
        return done

    def seal(self, position: Position, sources: Sequence[SourceTable]) -> Cut:
        self.since |= {one.name: position for one in sources}
        parts = {one.name: SourcePart.CHANGES for one in sources}
        cut = Cut(len(self.cuts) + 1, str(uuid.uuid4()), "run", CutState.SEALED, {CONNECTION: position}, parts)
        self.cuts.append(cut)
        self.database.sealed(self.id, cut, CONNECTION)
        return cut

    @property
    def known(self) -> frozenset[str]:
        return frozenset(cut.cut_id for cut in self.cuts)

    def _take(self, name: RelationName, cut: OpenCut) -> str:
        reason = cut.must_copy(name)
        if reason:
            self.mirrors[name] = Counter(tuples(cut.copy(name)))
            return reason
        pending = cut.pending(name)
        self.apply(name, cut)
        return "changes" if pending else ""

    def apply(self, name: RelationName, cut: OpenCut) -> None:
        """Add the weights of a source's changes to its mirror."""
        changes = cut.changes(name)
        if changes.truncated:
            self.mirrors[name].clear()
        for weight, *row in tuples(changes.rows):
            self.mirrors[name][tuple(row)] += weight

    def rows(self, table: str) -> Counter[tuple[Any, ...]]:
        """The mirror; a row with a negative count is shown as it is, so that it cannot hide."""
        return Counter({row: n for row, n in self.mirrors[RelationName("shop", table)].items() if n})
