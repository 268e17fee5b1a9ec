"""Arrow batches as the server sends them, turned into the lake's types: exact, or refused with column and value."""

from __future__ import annotations

import datetime
import decimal
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from trickle.capture.catalog import SourceColumn
from trickle.capture.types import Reading
from trickle.errors import SourceError

_EPOCH = datetime.date(1970, 1, 1)
_FIRST_DAY = (datetime.date.min - _EPOCH).days
_LAST_DAY = (datetime.date.max - _EPOCH).days
_MICROS = 86_400_000_000


@dataclass(frozen=True, slots=True)
class Conversion:
    """How to read `columns` of `table`; batches hold `leading` columns before them and their guards after them."""

    table: str
    columns: tuple[SourceColumn, ...]
    schema: pa.Schema
    leading: int = 0

    def convert(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """One batch in the lake's types."""
        self._check_guards(batch)
        arrays = list(batch.columns[: self.leading])
        for place, column in enumerate(self.columns, start=self.leading):
            arrays.append(self._array(column, batch.column(place)))
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def _check_guards(self, batch: pa.RecordBatch) -> None:
        guards = batch.columns[self.leading + len(self.columns) :]
        guarded = [c for c in self.columns if c.storage.reading in (Reading.LIST, Reading.TEXT_LIST)]
        for column, guard in zip(guarded, guards, strict=True):
            if pc.any(guard).as_py():
                raise self._refused(column, "an array with several dimensions or bounds that do not begin at 1")

    def _array(self, column: SourceColumn, values: pa.Array) -> pa.Array:
        if column.storage.reading is Reading.NUMBER:
            return self._decimals(column, values)
        if column.storage.reading is Reading.DATED:
            self._check_years(column, values)
        return values if values.type == column.storage.arrow else values.cast(column.storage.arrow)

    def _decimals(self, column: SourceColumn, values: pa.Array) -> pa.Array:
        try:
            return pc.cast(values, column.storage.arrow)
        except pa.ArrowInvalid:  # a value does not fit, or has more zeros than Arrow reads: look at each
            return pa.array([self._decimal(column, text) for text in values.to_pylist()], column.storage.arrow)

    def _decimal(self, column: SourceColumn, text: str | None) -> decimal.Decimal | None:
        if text is None:
            return None
        value = decimal.Decimal(text)
        precision, scale = column.storage.arrow.precision, column.storage.arrow.scale
        exact = decimal.Context(prec=precision, traps=[decimal.Inexact, decimal.InvalidOperation])
        try:
            if not value.is_finite():
                raise decimal.InvalidOperation
            return value.quantize(decimal.Decimal(1).scaleb(-scale), context=exact)
        except decimal.DecimalException:
            raise self._refused(column, f"{text}, which does not fit {column.storage.type}") from None

    def _check_years(self, column: SourceColumn, values: pa.Array) -> None:
        dated = column.storage.type == "date"
        numbers = values.view(pa.int32() if dated else pa.int64())
        found = pc.min_max(numbers).as_py()
        first, last = _FIRST_DAY, _LAST_DAY
        if not dated:
            first, last = _FIRST_DAY * _MICROS, (_LAST_DAY + 1) * _MICROS - 1
        if found["min"] is not None and (found["min"] < first or found["max"] > last):
            raise self._refused(column, "an infinite value or one outside the years 1 to 9999")

    def _refused(self, column: SourceColumn, what: str) -> SourceError:
        return SourceError(
            f'source table {self.table}, column "{column.name}": it holds {what}',
            hint="correct the value, or change the column's type",
        )
