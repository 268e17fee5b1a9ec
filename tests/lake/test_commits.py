"""Commits of the engine's files: deciding log commits, folds, new beginnings, operator state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from lake_rows import ORDERS, SCHEMA, changed, copied, counted, stamp

from trickle.errors import CorruptLakeError, FencedError
from trickle.lake.delta_lake import DeltaLake
from trickle.model.files import WrittenFiles
from trickle.model.names import RelationName, StateName
from trickle.model.schema import Column, TableSchema

Staged = Callable[..., WrittenFiles]

RESULT = RelationName("main", "revenue")
STATE = StateName(RESULT, "aggregate")
FIRST = "0" * 20 + "a1"
SECOND = "0" * 20 + "b2"


@pytest.fixture
def result(lake: DeltaLake, staged: Staged) -> DeltaLake:
    """A stream table at epoch 1 with rows (1, a), (2, b)."""
    lake.restart_log(RESULT, SCHEMA, None, stamp(1, FIRST))
    assert lake.stored(RESULT) is None
    lake.commit_table(RESULT, staged(RESULT, [(1, "a"), (2, "b")]), None, stamp(1, FIRST))
    return lake


def test_the_log_commit_decides_and_the_fold_follows(result: DeltaLake, staged: Staged) -> None:
    result.commit_log(RESULT, staged(RESULT, [(-1, 1, "a"), (1, 3, "c")], epoch=2), stamp(2, SECOND), after=1)
    stored = result.stored(RESULT)
    assert stored is not None
    assert (stored.epoch, stored.base_epoch, stored.fingerprint, stored.pending(1, 2)) == (2, 1, SECOND, 2)
    old = result.rows_at(RESULT, 1).parts[0].paths
    result.commit_table(RESULT, staged(RESULT, [(2, "b"), (3, "c")]), old, stamp(2, SECOND))
    stored = result.stored(RESULT)
    assert stored is not None
    assert (stored.epoch, stored.base_epoch, stored.fingerprint, stored.rows) == (2, 2, SECOND, 2)
    assert counted(result.rows_at(RESULT, 2)) == Counter([(2, "b"), (3, "c")])
    assert counted(result.rows_at(RESULT, 1)) == Counter([(1, "a"), (2, "b")])


def test_a_commit_without_files_records_its_epoch(result: DeltaLake, staged: Staged) -> None:
    result.commit_log(RESULT, staged(RESULT, [], epoch=5), stamp(5, FIRST), after=1)
    stored = result.stored(RESULT)
    assert stored is not None
    assert (stored.epoch, stored.changes) == (5, {})


@pytest.mark.parametrize(("epoch", "after"), [(2, 0), (1, 1), (3, 2)])
def test_a_log_commit_must_follow_what_is_there(result: DeltaLake, staged: Staged, epoch: int, after: int) -> None:
    with pytest.raises(FencedError):
        result.commit_log(RESULT, staged(RESULT, [(1, 3, "c")], epoch=epoch), stamp(epoch), after=after)


def test_a_fold_beyond_the_log_stays_at_its_epoch(result: DeltaLake, staged: Staged) -> None:
    result.commit_log(RESULT, staged(RESULT, [(1, 3, "c")], epoch=2), stamp(2, FIRST), after=1)
    result.commit_table(RESULT, staged(RESULT, [(3, "c")]), (), stamp(9, FIRST))
    stored = result.stored(RESULT)
    assert stored is not None
    assert (stored.base_epoch, stored.epoch, stored.since) == (2, 2, 1)


def test_replaced_files_must_be_there(result: DeltaLake, staged: Staged) -> None:
    result.commit_log(RESULT, staged(RESULT, [(1, 3, "c")], epoch=2), stamp(2), after=1)
    with pytest.raises(FencedError, match="are gone"):
        result.commit_table(RESULT, staged(RESULT, [(3, "c")]), ("/nowhere/x.parquet",), stamp(2))


def test_changes_of_other_types_are_refused(result: DeltaLake, staged: Staged) -> None:
    other = TableSchema((Column("id", "int"), Column("note", "string")))
    with pytest.raises(CorruptLakeError, match="other columns"):
        result.commit_log(RESULT, staged(RESULT, [(1, 3, "c")], other, epoch=2), stamp(2), after=1)


def test_a_new_beginning_that_stops_halfway_leaves_the_old_table(result: DeltaLake, staged: Staged) -> None:
    wider = TableSchema((*SCHEMA.columns, Column("at", "timestamp_ntz")))
    result.restart_log(RESULT, wider, None, stamp(4, SECOND))
    stored = result.stored(RESULT)
    assert stored is not None
    assert (stored.epoch, stored.schema, stored.fingerprint) == (1, SCHEMA, FIRST)
    assert counted(result.rows_at(RESULT, 1)) == Counter([(1, "a"), (2, "b")])
    result.commit_table(RESULT, staged(RESULT, [(1, "a", None)], wider), None, stamp(4, SECOND))
    stored = result.stored(RESULT)
    assert stored is not None
    assert (stored.epoch, stored.since, stored.schema, stored.fingerprint) == (4, 4, wider, SECOND)


def test_a_new_table_voids_the_log_before_it(result: DeltaLake, staged: Staged) -> None:
    result.commit_log(RESULT, staged(RESULT, [(1, 3, "c")], epoch=2), stamp(2, FIRST), after=1)
    result.commit_table(RESULT, staged(RESULT, [(7, "g")]), None, stamp(3, SECOND))
    stored = result.stored(RESULT)
    assert stored is not None
    assert (stored.epoch, stored.base_epoch, stored.since, stored.changes) == (3, 3, 3, {})
    with pytest.raises(CorruptLakeError, match="cannot tell"):
        result.changes(RESULT, 1, 3)
    result.commit_log(RESULT, staged(RESULT, [(1, 8, "h")], epoch=4), stamp(4, SECOND), after=3)
    assert counted(result.rows_at(RESULT, 4)) == Counter([(7, "g"), (8, "h")])
    assert counted(result.changes(RESULT, 3, 4)) == Counter([(8, "h")])


def test_a_table_of_another_query_at_the_same_epoch_voids_the_log(result: DeltaLake, staged: Staged) -> None:
    result.commit_log(RESULT, staged(RESULT, [(1, 3, "c")], epoch=2), stamp(2, FIRST), after=1)
    result.commit_table(RESULT, staged(RESULT, [(7, "g")]), None, stamp(2, SECOND))
    stored = result.stored(RESULT)
    assert stored is not None
    assert (stored.epoch, stored.since, stored.fingerprint) == (2, 2, SECOND)


def test_state_left_by_a_crash_is_ignored_and_then_dropped(lake: DeltaLake, staged: Staged) -> None:
    lake.restart_log(STATE, SCHEMA, staged(STATE, [(1, 1, "a")], epoch=1), stamp(1))
    lake.commit_log(STATE, staged(STATE, [(1, 2, "orphan")], epoch=2), stamp(2), after=1)
    assert counted(lake.rows_at(STATE, 1)) == Counter([(1, "a")])
    lake.commit_log(STATE, staged(STATE, [(1, 3, "c"), (-1, 1, "a")], epoch=4), stamp(4), after=1)
    assert counted(lake.rows_at(STATE, 4)) == Counter([(3, "c")])
    lake.commit_log(STATE, staged(STATE, [(1, 5, "again")], epoch=4), stamp(4), after=1)
    assert counted(lake.rows_at(STATE, 4)) == Counter([(1, "a"), (5, "again")])
    stored = lake.stored(STATE)
    assert stored is not None
    assert (stored.base_epoch, stored.since, stored.epoch, stored.schema) == (None, 1, 4, SCHEMA)


def test_state_orphans_of_a_later_epoch_are_dropped_too(lake: DeltaLake, staged: Staged) -> None:
    lake.restart_log(STATE, SCHEMA, staged(STATE, [(1, 1, "a")], epoch=1), stamp(1))
    lake.commit_log(STATE, staged(STATE, [(1, 2, "orphan")], epoch=3), stamp(3), after=1)
    lake.commit_log(STATE, staged(STATE, [(1, 3, "c")], epoch=5), stamp(5), after=1)
    assert counted(lake.rows_at(STATE, 5)) == Counter([(1, "a"), (3, "c")])


def test_state_does_not_reach_before_its_restart(lake: DeltaLake, staged: Staged) -> None:
    lake.restart_log(STATE, SCHEMA, staged(STATE, [(1, 1, "a")], epoch=3), stamp(3))
    with pytest.raises(CorruptLakeError, match="cannot tell"):
        lake.rows_at(STATE, 2)
    with pytest.raises(FencedError):
        lake.commit_log(STATE, staged(STATE, [(1, 2, "b")], epoch=4), stamp(4), after=2)


def test_restarted_state_may_change_its_columns(lake: DeltaLake, staged: Staged) -> None:
    lake.restart_log(STATE, SCHEMA, staged(STATE, [(1, 1, "a")], epoch=3), stamp(3))
    other = TableSchema((Column("total", "decimal(38,2)"),))
    lake.restart_log(STATE, other, staged(STATE, [(2, None)], other, epoch=3), stamp(3))
    assert counted(lake.rows_at(STATE, 3)) == Counter({(None,): 2})


def test_files_outside_the_table_are_refused(lake: DeltaLake, tmp_path: Path) -> None:
    path = tmp_path / "elsewhere.parquet"
    pq.write_table(copied([(1, "a")]).read_all(), path)
    with pytest.raises(CorruptLakeError, match="outside"):
        lake.commit_table(RESULT, WrittenFiles(str(tmp_path), (str(path),), SCHEMA, 1), None, stamp(1))


def test_foreign_compaction_changes_nothing(lake: DeltaLake) -> None:
    from deltalake import DeltaTable

    lake.create(ORDERS, SCHEMA, copied([(1, "a")]), stamp(1, FIRST))
    for epoch in range(2, 6):
        lake.append(
            ORDERS, changed([(1, epoch, "n"), (-1, epoch - 1, "n") if epoch > 2 else (1, 0, None)]), stamp(epoch)
        )
    before = {epoch: counted(lake.rows_at(ORDERS, epoch)) for epoch in range(1, 6)}
    root = Path(lake.staging(ORDERS, log=True)).parent
    DeltaTable(str(root)).optimize.compact()
    DeltaTable(str(root)).create_checkpoint()
    for reader in (lake, DeltaLake.open(str(root.parents[2]))):
        assert reader is not None
        stored = reader.stored(ORDERS)
        assert stored is not None
        assert (stored.epoch, stored.since, dict(stored.changes)) == (5, 1, {2: 2, 3: 2, 4: 2, 5: 2})
        assert {epoch: counted(reader.rows_at(ORDERS, epoch)) for epoch in range(1, 6)} == before
    lake.append(ORDERS, changed([(1, 9, "z")]), stamp(6))
    assert counted(lake.rows_at(ORDERS, 6)) == before[5] + Counter([(9, "z")])


def test_vacuum_removes_what_no_version_needs(result: DeltaLake, staged: Staged) -> None:
    staged(RESULT, [(9, "never committed")])
    old = result.rows_at(RESULT, 1).parts[0].paths
    result.commit_log(RESULT, staged(RESULT, [(-1, 1, "a")], epoch=2), stamp(2, FIRST), after=1)
    result.commit_table(RESULT, staged(RESULT, [(2, "b")]), old, stamp(2, FIRST))
    assert result.vacuum(RESULT, 0) == 2
    assert not any(Path(path).exists() for path in old)
    assert counted(result.rows_at(RESULT, 1)) == Counter([(1, "a"), (2, "b")])
