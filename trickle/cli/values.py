"""Values of a result as JSON and as text, without losing a digit.

Decimals and times are strings in JSON; so are NaN and the infinities, which JSON cannot say. Bytes are hexadecimal.
"""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_ROWS = 10_000


def json_value(value: object) -> object:
    """The value as the `json` module can write it."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else _float_name(value)
        case Decimal():
            return format(value, "f")
        case datetime.date() | datetime.time():
            return value.isoformat().replace("+00:00", "Z")
        case bytes():
            return value.hex()
        case Mapping():
            return {str(key): json_value(item) for key, item in value.items()}
        case Sequence():
            return [json_value(item) for item in value]
        case _:
            return str(value)


def _float_name(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def text(value: object) -> str:
    """The value on one line for a person or a CSV file; SQL's NULL is for the caller to show."""
    plain = json_value(value)
    if isinstance(plain, str):
        return plain
    return json.dumps(plain, ensure_ascii=False)


def rows(table: pa.Table) -> Iterator[tuple[object, ...]]:
    """The rows of an Arrow table, a batch at a time, with times of any year as text."""
    for batch in table.to_batches(max_chunksize=BATCH_ROWS):
        columns = [_values(column) for column in batch.columns]
        yield from zip(*columns, strict=True)


def _values(column: pa.Array) -> list[object]:
    """Python values of a column; years beyond 9999 have no Python value, so Arrow writes times as text itself."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_timestamp(column.type):
        written = pc.replace_substring(pc.cast(column, pa.string()), " ", "T")
        return list(pc.replace_substring_regex(written, r"\.0+(Z?)$", r"\1").to_pylist())
    if pa.types.is_date(column.type):
        return list(pc.cast(column, pa.string()).to_pylist())
    return list(column.to_pylist())


def in_order(table: pa.Table) -> pa.Table:
    """The table sorted by its columns, so that one state always looks the same."""
    import pyarrow as pa

    keys = [field.name for field in table.schema if not pa.types.is_nested(field.type)]
    return table.sort_by([(key, "ascending") for key in keys]) if keys else table
