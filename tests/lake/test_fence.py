"""Two runs over one lake: the second to commit is stopped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from lake_rows import ORDERS, SCHEMA, changed, copied, counted, stamp

from trickle.errors import FencedError, ProjectError
from trickle.lake.delta_lake import DeltaLake
from trickle.model.epoch import Cut, CutState, Position, SourcePart
from trickle.model.files import WrittenFiles
from trickle.model.names import RelationName

Staged = Callable[..., WrittenFiles]


@pytest.fixture
def other(lake: DeltaLake, tmp_path: Path) -> DeltaLake:
    found = DeltaLake.open(str(tmp_path / "lake"))
    assert found is not None
    return found


def cut(epoch: int, state: CutState = CutState.BEGUN, cut_id: str = "") -> Cut:
    position = Position("7123", 1, "100:110:101,105", "0/16B3748")
    return Cut(epoch, cut_id or f"cut-{epoch}", "run", state, {"shop": position}, {ORDERS: SourcePart.COPY}, "now")


def test_appending_after_another_run_did_is_fenced(lake: DeltaLake, other: DeltaLake) -> None:
    lake.create(ORDERS, SCHEMA, copied([]), stamp(1))
    assert other.stored(ORDERS) is not None
    lake.append(ORDERS, changed([(1, 1, "a")]), stamp(2))
    with pytest.raises(FencedError):
        other.append(ORDERS, changed([(1, 2, "b")]), stamp(3))
    assert counted(lake.rows_at(ORDERS, 9)) == Counter([(1, "a")])


def test_folding_after_another_run_did_is_fenced(lake: DeltaLake, other: DeltaLake, staged: Staged) -> None:
    lake.create(ORDERS, SCHEMA, copied([(1, "a")]), stamp(1))
    lake.append(ORDERS, changed([(1, 2, "b")]), stamp(2))
    assert other.stored(ORDERS) is not None
    lake.commit_table(ORDERS, staged(ORDERS, [(2, "b")]), (), stamp(2))
    with pytest.raises(FencedError):
        other.commit_table(ORDERS, staged(ORDERS, [(2, "b")]), (), stamp(2))
    assert lake.table(ORDERS).num_rows == 2


def test_both_creating_a_mirror_leaves_one(lake: DeltaLake, other: DeltaLake) -> None:
    assert lake.stored(ORDERS) is None
    assert other.stored(ORDERS) is None
    lake.create(ORDERS, SCHEMA, copied([(1, "a")]), stamp(2))
    with pytest.raises(FencedError):
        other.create(ORDERS, SCHEMA, copied([(2, "b")]), stamp(3))
    assert lake.table(ORDERS).to_pylist() == [{"id": 1, "note": "a"}]


def test_recording_a_cut_after_another_run_did_is_fenced(lake: DeltaLake, other: DeltaLake) -> None:
    assert other.cuts() == ()
    lake.record(cut(1))
    with pytest.raises(FencedError):
        other.record(cut(1, cut_id="mine"))
    assert [found.cut_id for found in lake.cuts()] == ["cut-1"]


def test_cuts_come_back_as_recorded(lake: DeltaLake, other: DeltaLake) -> None:
    lake.record(cut(1))
    lake.record(cut(1, CutState.SEALED))
    lake.record(cut(1, CutState.SEALED))
    lake.record(cut(2))
    lake.record(cut(2, CutState.ABORTED))
    lake.record(cut(3))
    assert other.cuts() == lake.cuts() == (cut(1, CutState.SEALED), cut(2, CutState.ABORTED), cut(3))
    for late in (cut(1, CutState.ABORTED), cut(2), cut(3, CutState.SEALED, "another")):
        with pytest.raises(FencedError):
            lake.record(late)


def test_many_cuts_stay_few_files(lake: DeltaLake, other: DeltaLake, tmp_path: Path) -> None:
    for epoch in range(1, 41):
        lake.record(cut(epoch))
        lake.record(cut(epoch, CutState.SEALED))
    assert [found.epoch for found in other.cuts()] == list(range(1, 41))
    assert {found.state for found in other.cuts()} == {CutState.SEALED}
    from deltalake import DeltaTable

    assert len(DeltaTable(str(tmp_path / "lake" / "_trickle" / "epochs")).file_uris()) <= 32


def test_history_is_read_newest_first(lake: DeltaLake, other: DeltaLake) -> None:
    assert lake.history(5).to_pylist() == []
    for run in range(40):
        lake.append_history(pa.table({"run": [f"{run}a", f"{run}b"]}))
    assert other.history(3).to_pylist() == [{"run": "39b"}, {"run": "39a"}, {"run": "38b"}]
    lake.append_history(pa.table({"run": ["last"], "rows": [7]}))
    assert other.history().num_rows == 81
    assert other.history(2).to_pylist() == [{"run": "last", "rows": 7}, {"run": "39b", "rows": None}]


def test_a_lake_keeps_its_identity(lake: DeltaLake, other: DeltaLake, tmp_path: Path) -> None:
    assert lake.lake_id == other.lake_id == DeltaLake.open_or_create(str(tmp_path / "lake")).lake_id
    assert DeltaLake.open_or_create(str(tmp_path / "lake2")).lake_id != lake.lake_id
    assert DeltaLake.open(str(tmp_path / "nothing")) is None
    assert not (tmp_path / "nothing").exists()


@pytest.mark.parametrize("said", ['{"format": 2, "lake_id": "x"}', "something else"])
def test_an_unknown_format_is_refused(lake: DeltaLake, tmp_path: Path, said: str) -> None:
    from deltalake import DeltaTable

    DeltaTable(str(tmp_path / "lake" / "_trickle" / "epochs")).alter.set_table_description(said)
    with pytest.raises(ProjectError):
        DeltaLake.open(str(tmp_path / "lake"))


@pytest.mark.parametrize("root", ["s3://bucket/lake", "/data/a%20b/lake"])
def test_roots_delta_cannot_reach_are_refused(root: str) -> None:
    with pytest.raises(ProjectError):
        DeltaLake.open(root)


def test_dropping_removes_a_relation_and_nothing_else(lake: DeltaLake, tmp_path: Path) -> None:
    kept = RelationName("shop", "kept")
    for name in (ORDERS, kept):
        lake.create(name, SCHEMA, copied([(1, "a")]), stamp(1))
    lake.drop(ORDERS)
    assert lake.stored(ORDERS) is None
    assert lake.stored(kept) is not None
    lake.create(ORDERS, SCHEMA, copied([(2, "b")]), stamp(2))
    assert lake.table(ORDERS).num_rows == 1


def test_dropping_all_leaves_folders_of_others(lake: DeltaLake, tmp_path: Path) -> None:
    from deltalake import write_deltalake

    lake.create(ORDERS, SCHEMA, copied([(1, "a")]), stamp(1))
    foreign = tmp_path / "lake" / "shop" / "foreign"
    write_deltalake(str(foreign), pa.table({"x": [1]}))
    (tmp_path / "lake" / "notes").mkdir()
    lake.drop_all()
    left = sorted(str(path.relative_to(tmp_path / "lake")) for path in (tmp_path / "lake").glob("*/*"))
    assert left == ["shop/foreign"]
    assert (tmp_path / "lake" / "notes").is_dir()
    assert DeltaLake.open(str(tmp_path / "lake")) is None
