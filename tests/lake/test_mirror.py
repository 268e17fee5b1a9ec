"""Mirrors: first copy, changes, truncation, resync."""

from __future__ import annotations

from collections import Counter

import pytest
from lake_rows import ORDERS, SCHEMA, changed, copied, counted, stamp

from trickle.errors import CorruptLakeError
from trickle.lake.delta_lake import DeltaLake
from trickle.model.names import RelationName
from trickle.model.schema import Column, TableSchema


def test_nothing_is_stored_of_an_unknown_relation(lake: DeltaLake) -> None:
    assert lake.stored(ORDERS) is None
    with pytest.raises(CorruptLakeError, match="not in the lake"):
        lake.rows_at(ORDERS, 1)


def test_first_copy_is_the_base(lake: DeltaLake) -> None:
    assert lake.create(ORDERS, SCHEMA, copied([(1, "a"), (2, None), (2, None)]), stamp(3, "00ff")) == 3
    stored = lake.stored(ORDERS)
    assert stored is not None
    assert (stored.epoch, stored.base_epoch, stored.since, stored.rows) == (3, 3, 3, 3)
    assert (stored.schema, stored.fingerprint, stored.changes) == (SCHEMA, "00ff", {})
    assert counted(lake.rows_at(ORDERS, 3)) == Counter({(1, "a"): 1, (2, None): 2})
    assert lake.rows_at(ORDERS, 3).plain
    assert lake.table(ORDERS).to_pylist() == [{"id": 1, "note": "a"}, {"id": 2, "note": None}, {"id": 2, "note": None}]


def test_changes_add_to_the_base(lake: DeltaLake) -> None:
    lake.create(ORDERS, SCHEMA, copied([(1, "a"), (2, "b")]), stamp(1))
    assert lake.append(ORDERS, changed([(-1, 1, "a"), (1, 1, "z")]), stamp(2)) == 2
    assert lake.append(ORDERS, changed([(1, 3, None)]), stamp(4)) == 1
    stored = lake.stored(ORDERS)
    assert stored is not None
    assert (stored.epoch, stored.base_epoch, dict(stored.changes)) == (4, 1, {2: 2, 4: 1})
    assert counted(lake.rows_at(ORDERS, 1)) == Counter({(1, "a"): 1, (2, "b"): 1})
    assert counted(lake.rows_at(ORDERS, 3)) == Counter({(1, "z"): 1, (2, "b"): 1})
    assert counted(lake.rows_at(ORDERS, 9)) == Counter({(1, "z"): 1, (2, "b"): 1, (3, None): 1})
    assert counted(lake.changes(ORDERS, 1, 2)) == Counter({(1, "a"): -1, (1, "z"): 1})
    assert lake.changes(ORDERS, 2, 3).parts == ()


def test_appending_an_epoch_twice_writes_once(lake: DeltaLake) -> None:
    lake.create(ORDERS, SCHEMA, copied([]), stamp(1))
    assert lake.append(ORDERS, changed([(1, 1, "a")]), stamp(2)) == 1
    assert lake.append(ORDERS, changed([(1, 1, "a")]), stamp(2)) == 1
    assert counted(lake.rows_at(ORDERS, 2)) == Counter({(1, "a"): 1})


def test_an_empty_change_still_records_its_epoch(lake: DeltaLake) -> None:
    lake.create(ORDERS, SCHEMA, copied([(1, "a")]), stamp(1))
    assert lake.append(ORDERS, changed([]), stamp(2)) == 0
    stored = lake.stored(ORDERS)
    assert stored is not None
    assert (stored.epoch, stored.changes) == (2, {})


def test_truncation_retracts_base_and_log(lake: DeltaLake) -> None:
    lake.create(ORDERS, SCHEMA, copied([(1, "a"), (1, "a"), (2, None)]), stamp(1))
    lake.append(ORDERS, changed([(-1, 1, "a"), (1, 5, "x")]), stamp(2))
    assert lake.append(ORDERS, changed([(1, 9, "new")], truncated=True), stamp(3)) == 6
    assert counted(lake.rows_at(ORDERS, 3)) == Counter({(9, "new"): 1})
    assert counted(lake.changes(ORDERS, 2, 3)) == Counter({(1, "a"): -1, (2, None): -1, (5, "x"): -1, (9, "new"): 1})
    assert counted(lake.rows_at(ORDERS, 2)) == Counter({(1, "a"): 1, (2, None): 1, (5, "x"): 1})
    lake.append(ORDERS, changed([], truncated=True), stamp(4))
    assert counted(lake.rows_at(ORDERS, 4)) == Counter()


def test_resync_is_a_difference(lake: DeltaLake) -> None:
    lake.create(ORDERS, SCHEMA, copied([(1, "a"), (2, "b")]), stamp(1))
    lake.append(ORDERS, changed([(1, 3, "c")]), stamp(2))
    lake.resync(ORDERS, copied([(2, "b"), (4, "d")]), stamp(3))
    assert counted(lake.rows_at(ORDERS, 3)) == Counter({(2, "b"): 1, (4, "d"): 1})
    assert counted(lake.changes(ORDERS, 2, 3)) == Counter({(1, "a"): -1, (3, "c"): -1, (4, "d"): 1})


def test_a_new_copy_may_have_other_columns(lake: DeltaLake) -> None:
    lake.create(ORDERS, SCHEMA, copied([(1, "a")]), stamp(1))
    lake.append(ORDERS, changed([(1, 2, "b")]), stamp(2))
    wider = TableSchema((Column("id", "bigint"), Column("at", "timestamp_ntz"), Column("n", "decimal(12,2)")))
    lake.create(ORDERS, wider, copied([(7, None, None)], wider), stamp(3))
    lake.append(ORDERS, changed([(1, 8, None, None)], wider), stamp(4))
    stored = lake.stored(ORDERS)
    assert stored is not None
    assert (stored.schema, stored.since, dict(stored.changes)) == (wider, 3, {4: 1})
    assert counted(lake.rows_at(ORDERS, 4)) == Counter({(7, None, None): 1, (8, None, None): 1})
    with pytest.raises(CorruptLakeError, match="begins at epoch 3"):
        lake.rows_at(ORDERS, 2)


def test_source_columns_named_like_ours_are_kept(lake: DeltaLake) -> None:
    schema = TableSchema((Column("__w", "int"), Column("__epoch", "bigint")))
    name = RelationName("shop", "odd")
    lake.create(name, schema, copied([(1, 2)], schema), stamp(1))
    lake.append(name, changed([(1, 5, 99)], schema), stamp(2))
    assert counted(lake.rows_at(name, 2)) == Counter({(1, 2): 1, (5, 99): 1})
    assert counted(lake.changes(name, 1, 2)) == Counter({(5, 99): 1})


def test_rows_without_a_column_are_refused(lake: DeltaLake) -> None:
    with pytest.raises(CorruptLakeError, match="without column note"):
        lake.create(ORDERS, SCHEMA, copied([(1,)], TableSchema((Column("id", "bigint"),))), stamp(1))
    assert lake.stored(ORDERS) is None
