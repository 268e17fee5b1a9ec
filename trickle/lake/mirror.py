"""Rows of a source on their way into the lake: Arrow streams become base files and change log files.

A weight is attached to each row. What was there before is retracted linearly: its base rows with weight -1, its log
rows with their weight negated; nothing is sorted or consolidated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from trickle.lake.parquet import conform, read_batches
from trickle.lake.types import arrow_schema, log_schema
from trickle.model.files import FilePart, StoredRows
from trickle.model.names import Name
from trickle.model.schema import TableSchema


@dataclass(frozen=True)
class LogWriter:
    """Turns rows of one relation into rows of its change log at one epoch."""

    name: Name
    schema: TableSchema
    epoch: int

    @property
    def arrow(self) -> pa.Schema:
        return arrow_schema(log_schema(self.schema))

    def weighted(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Rows that carry their own weight column."""
        own = self.arrow
        without_epoch = pa.schema([own.field(place) for place in range(1, len(own))])
        for batch in batches:
            yield self._row(conform(batch, without_epoch, str(self.name)))

    def plain(self, batches: Iterable[pa.RecordBatch], weight: int) -> Iterator[pa.RecordBatch]:
        """Rows that all weigh the same."""
        columns = arrow_schema(self.schema)
        for batch in batches:
            rows = conform(batch, columns, str(self.name))
            yield self._row(rows, pa.repeat(pa.scalar(weight, pa.int32()), rows.num_rows))

    def negated(self, state: StoredRows) -> Iterator[pa.RecordBatch]:
        """Minus everything a relation held."""
        for part in state.parts:
            if part.epochs is None:
                yield from self.plain(read_batches(part.paths), -part.sign)
            else:
                yield from self._negated_log(part)

    def _negated_log(self, part: FilePart) -> Iterator[pa.RecordBatch]:
        after, upto = part.epochs or (0, 0)
        turn: Callable[[pa.Array], pa.Array] = pc.negate_checked if part.sign == 1 else lambda weights: weights
        for raw in read_batches(part.paths):
            batch = conform(raw, self.arrow, str(self.name))
            epochs = batch.column(0)
            rows = batch.filter(pc.and_(pc.greater(epochs, after), pc.less_equal(epochs, upto)))
            columns = pa.RecordBatch.from_arrays(rows.columns[2:], schema=arrow_schema(self.schema))
            yield self._row(columns, turn(rows.column(1)))

    def _row(self, rows: pa.RecordBatch, weights: pa.Array | None = None) -> pa.RecordBatch:
        epochs = pa.repeat(pa.scalar(self.epoch, pa.int64()), rows.num_rows)
        led = [epochs] if weights is None else [epochs, weights]
        return pa.RecordBatch.from_arrays([*led, *rows.columns], schema=self.arrow)
