"""Folding few changes without a JVM, compared with a plain multiset."""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from spark_rows import PAIRS, Row, rows_of, schema

from trickle.engine.folding import SMALL_FILE, fold
from trickle.errors import CorruptLakeError
from trickle.model.files import FilePart, StoredRows

Store = Callable[..., StoredRows]

TYPES = schema(i="int", s="string", f="double", n="decimal(20,3)", day="date", at="timestamp", b="boolean", x="binary")
VALUES: list[st.SearchStrategy[object]] = [
    st.sampled_from([1, 2, None]),
    st.sampled_from(["a", "", "é", None]),
    st.sampled_from([0.0, -0.0, math.nan, 1.5, None]),
    st.sampled_from([Decimal("1.500"), Decimal("-0.001"), None]),
    st.sampled_from([dt.date(1, 1, 1), dt.date(9999, 12, 31), None]),
    st.sampled_from([dt.datetime(1970, 1, 1, tzinfo=dt.UTC), None]),
    st.sampled_from([True, False, None]),
    st.sampled_from([b"", b"\xff", None]),
]
ROWS = st.lists(st.tuples(*VALUES), max_size=8)


def no_session() -> SparkSession:
    raise AssertionError("no JVM is needed here")


def key(row: Row) -> Row:
    return tuple(str(value) if isinstance(value, float) else value for value in row)


def split(things: StoredRows) -> tuple[StoredRows, StoredRows]:
    base = tuple(part for part in things.parts if part.epochs is None)
    log = tuple(part for part in things.parts if part.epochs is not None)
    return StoredRows(things.name, things.schema, base), StoredRows(things.name, things.schema, log)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(base=st.lists(ROWS.filter(bool), max_size=3), gained=ROWS, data=st.data())
def test_fold_equals_the_multiset(
    store: Store, tmp_path: Path, base: list[list[Row]], gained: list[Row], data: st.DataObject
) -> None:
    present = [row for rows in base for row in rows]
    places = data.draw(st.sets(st.sampled_from(range(len(present))))) if present else set()
    changes = [(-1, *present[place]) for place in places] + [(1, *row) for row in gained]
    things = store(TYPES, base=base, log={5: changes} if changes else {})
    table, log = split(things)
    folded = fold(no_session, table, log, str(tmp_path / f"out{len(list(tmp_path.iterdir()))}"))
    kept = [path for part in table.parts for path in part.paths if path not in folded.removed]
    found = Counter(key(row) for row in rows_of([*kept, *folded.files.paths]))
    stay = [row for place, row in enumerate(present) if place not in places]
    assert found == Counter(key(row) for row in [*stay, *gained])


def test_a_missing_row_is_refused(store: Store, tmp_path: Path) -> None:
    table, log = split(store(PAIRS, base=[[(1, "a")]], log={2: [(-1, 1, None)]}))
    with pytest.raises(CorruptLakeError, match="not there"):
        fold(no_session, table, log, str(tmp_path / "out"))


def test_added_rows_join_the_smallest_file(store: Store, tmp_path: Path) -> None:
    table, log = split(store(PAIRS, base=[[(1, "a"), (2, "b")], [(3, "c")]], log={2: [(1, 9, "z")]}))
    folded = fold(no_session, table, log, str(tmp_path / "out"))
    assert folded.removed == table.parts[0].paths[1:]
    assert Counter(rows_of(folded.files.paths)) == Counter([(3, "c"), (9, "z")])


def test_a_large_file_is_left_alone_when_rows_are_added(store: Store, tmp_path: Path) -> None:
    large = tmp_path / "large.parquet"
    ids = pa.array(range(SMALL_FILE + 1), pa.int64())
    pq.write_table(pa.table({"k": ids, "v": pa.nulls(len(ids), pa.string())}), large)
    _, log = split(store(PAIRS, log={2: [(1, 9, "z")]}))
    table = StoredRows(log.name, PAIRS, (FilePart((str(large),), rows=len(ids)),))
    folded = fold(no_session, table, log, str(tmp_path / "out"))
    assert (folded.removed, rows_of(folded.files.paths)) == ((), [(9, "z")])


def test_times_beyond_python_are_folded(store: Store, tmp_path: Path) -> None:
    far = schema(at="timestamp_ntz", day="date")
    table, log = split(store(far, base=[[(2**62, 2**30), (None, 5)]], log={2: [(-1, 2**62, 2**30)]}))
    folded = fold(no_session, table, log, str(tmp_path / "out"))
    assert rows_of(folded.files.paths) == [(None, dt.date(1970, 1, 6))]
