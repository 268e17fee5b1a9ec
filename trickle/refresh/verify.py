"""Prove the promise: compare a relation with its query recomputed from scratch, as multisets of full rows."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real

from trickle.errors import CorruptLakeError
from trickle.model.files import StoredRows
from trickle.model.names import RelationName
from trickle.model.ports import Engine, Lake, Stored, View
from trickle.model.report import Verification
from trickle.model.stream_table import StreamTable
from trickle.query.canonical import Canonical, rows_sql
from trickle.query.emit import view_name
from trickle.refresh.compiled import compile_table
from trickle.refresh.journal import moment_of

FLOAT_TOLERANCE = 1e-12
COMPARED_ROWS = 10_000

Row = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Verifier:
    """Recomputes tables over their inputs at their own epoch; `replaced` inputs are read from elsewhere."""

    lake: Lake
    engine: Engine
    limit: int
    against: str = "inputs"
    replaced: Mapping[RelationName, StoredRows] | None = None

    def table(self, table: StreamTable) -> Verification:
        """Compare a stream table's readable rows with its query."""
        stored = self.lake.stored(table.name)
        if stored is None:
            return Verification(table.name.table, False, 0, self.against, detail="never refreshed")
        try:
            views = [self._input(name, stored.epoch) for name in table.inputs]
            found = self._folded(stored)
        except CorruptLakeError as error:
            return Verification(table.name.table, False, stored.epoch, self.against, detail=error.message)
        compiled = compile_table(table, {view.rows.name: view.rows.schema for view in views})  # type: ignore[misc]
        moment = moment_of(self.lake.history(), str(table.name)) if compiled.volatile else None
        expected = compiled.at(moment) if moment else compiled
        return self._compare(stored, [*views, found], rows_sql(table.name), expected.full)

    def mirror(self, name: RelationName, truth: StoredRows) -> Verification:
        """Compare a source's mirror with rows read from the database."""
        stored = self.lake.stored(name)
        if stored is None:
            return Verification(str(name), False, 0, self.against, detail="never captured")
        mirrored = View(view_name(name), self.lake.rows_at(name, stored.epoch))
        other = RelationName("source", str(name))
        return self._compare(
            stored, [mirrored, View(view_name(other), truth)], rows_sql(name), Canonical(rows_sql(other))
        )

    def _input(self, name: RelationName, epoch: int) -> View:
        rows = (self.replaced or {}).get(name) or self.lake.rows_at(name, epoch)
        return View(view_name(name), rows)

    def _folded(self, stored: Stored) -> View:
        if stored.base_epoch is None or stored.pending(stored.base_epoch, stored.epoch):
            raise CorruptLakeError(f"{stored.name} is not folded; run `trickle run`")
        return View(view_name(stored.name), self.lake.rows_at(stored.name, stored.base_epoch))

    def _compare(self, stored: Stored, views: Sequence[View], found: str, expected: Canonical) -> Verification:
        columns, rows = self.engine.differing_rows(views, found, expected.sql, COMPARED_ROWS, expected.loops)
        floats = [i for i, column in enumerate(stored.schema.columns) if column.type in {"float", "double"}]
        if floats and len(rows) < COMPARED_ROWS:
            rows = unmatched(rows, floats)
        name = str(stored.name)
        return Verification(name, not rows, stored.epoch, self.against, columns, tuple(rows[: self.limit]))


def unmatched(rows: Iterable[Row], floats: Sequence[int]) -> list[Row]:
    """Differing rows that have no partner equal but for float columns within tolerance."""
    groups: dict[Row, list[Row]] = defaultdict(list)
    for row in rows:
        groups[tuple(value for i, value in enumerate(row[:-1]) if i not in floats)].append(row)
    return [row for group in groups.values() for row in _cancel(group, floats)]


def _cancel(group: list[Row], floats: Sequence[int]) -> list[Row]:
    surplus: list[tuple[Row, int]] = [(row, _weight(row)) for row in group if _weight(row) > 0]
    left: list[Row] = []
    for row in (row for row in group if _weight(row) < 0):
        missing = -_weight(row)
        for i, (other, count) in enumerate(surplus):
            if count and missing and all(_close(row[j], other[j]) for j in floats):
                taken = min(count, missing)
                surplus[i] = (other, count - taken)
                missing -= taken
        if missing:
            left.append((*row[:-1], -missing))
    return left + [(*row[:-1], count) for row, count in surplus if count]


def _weight(row: Row) -> int:
    return int(row[-1])  # type: ignore[call-overload, no-any-return]


def _close(left: object, right: object) -> bool:
    if isinstance(left, Real) and isinstance(right, Real):
        a, b = float(left), float(right)
        return a == b or (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=FLOAT_TOLERANCE)
    return left == right
