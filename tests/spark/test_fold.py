"""Folding, differences and comparison."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable

import pytest
from spark_rows import PAIRS, bag, schema

from trickle.engine import arrow_fold, folding
from trickle.engine.spark import SparkEngine
from trickle.errors import CorruptLakeError
from trickle.model.files import FilePart, StoredRows
from trickle.model.ports import View

pytestmark = pytest.mark.spark

Store = Callable[..., StoredRows]
Directory = Callable[[], str]


def split(things: StoredRows) -> tuple[StoredRows, StoredRows]:
    """The base and the changes of stored rows."""
    base = tuple(part for part in things.parts if part.epochs is None)
    log = tuple(part for part in things.parts if part.epochs is not None)
    return StoredRows(things.name, things.schema, base), StoredRows(things.name, things.schema, log)


def after(base: StoredRows, written: tuple[str, ...], removed: tuple[str, ...]) -> Counter[tuple[object, ...]]:
    kept = [path for part in base.parts for path in part.paths if path not in removed]
    return bag([*kept, *written])


@pytest.fixture(params=["arrow", "spark"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Fold in this process, or on Spark as many changes would be."""
    if request.param == "spark":
        monkeypatch.setattr(arrow_fold, "MOST_CHANGES", -1)
    return str(request.param)


@pytest.fixture
def on_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrow_fold, "MOST_CHANGES", -1)


@pytest.mark.usefixtures("on_spark")
def test_insertions_only_add_files(engine: SparkEngine, store: Store, directory: Directory) -> None:
    base, changes = split(store(PAIRS, base=[[(1, "a")]], log={2: [(1, 1, "a"), (2, 3, None)]}))
    folded = engine.fold(base, changes, directory())
    assert folded.removed == ()
    assert bag(folded.files.paths) == Counter({(1, "a"): 1, (3, None): 2})
    assert (folded.files.rows, folded.files.inserted, folded.files.deleted) == (3, 3, 0)


@pytest.mark.usefixtures("on_spark")
def test_only_files_that_lose_rows_are_rewritten(
    engine: SparkEngine, store: Store, directory: Directory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folding, "SMALL_TABLE", 0)
    things = store(
        PAIRS,
        base=[[(1, "a"), (2, None)], [(3, "c"), (3, "c")], [(2, None), (4, "d")]],
        log={2: [(-2, 2, None), (1, 9, "z"), (-1, 1, "x")], 3: [(1, 1, "x")]},
    )
    base, changes = split(things)
    folded = engine.fold(base, changes, directory())
    first, second, third = base.parts[0].paths
    assert set(folded.removed) == {first, third}
    assert second not in folded.removed
    expected = Counter({(1, "a"): 1, (3, "c"): 2, (4, "d"): 1, (9, "z"): 1})
    assert after(base, folded.files.paths, folded.removed) == expected


@pytest.mark.usefixtures("way")
def test_one_of_several_duplicates_is_removed(engine: SparkEngine, store: Store, directory: Directory) -> None:
    base, changes = split(store(PAIRS, base=[[(1, "a"), (1, "a")], [(1, "a")]], log={2: [(-2, 1, "a")]}))
    folded = engine.fold(base, changes, directory())
    assert after(base, folded.files.paths, folded.removed) == Counter({(1, "a"): 1})


@pytest.mark.usefixtures("way")
def test_a_table_may_become_empty(engine: SparkEngine, store: Store, directory: Directory) -> None:
    base, changes = split(store(PAIRS, base=[[(1, "a")]], log={2: [(-1, 1, "a")]}))
    folded = engine.fold(base, changes, directory())
    assert (folded.files.paths, folded.removed) == ((), base.parts[0].paths)


@pytest.mark.usefixtures("way")
def test_nothing_to_fold_touches_nothing(engine: SparkEngine, store: Store, directory: Directory) -> None:
    base, changes = split(store(PAIRS, base=[[(1, "a")]]))
    folded = engine.fold(base, changes, directory())
    assert (folded.files.paths, folded.removed, folded.files.schema) == ((), (), PAIRS)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("small", [0, 10**6])
def test_taking_away_what_is_not_there_is_refused(
    engine: SparkEngine, store: Store, directory: Directory, monkeypatch: pytest.MonkeyPatch, small: int
) -> None:
    monkeypatch.setattr(folding, "SMALL_TABLE", small)
    base, changes = split(store(PAIRS, base=[[(1, "a")], [(2, "b")]], log={2: [(-1, 1, "A"), (1, 7, "g")]}))
    with pytest.raises(CorruptLakeError):
        engine.fold(base, changes, directory())


@pytest.mark.usefixtures("on_spark")
def test_a_large_change_folds_without_broadcast(
    engine: SparkEngine, store: Store, directory: Directory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trickle.engine.views.FEW_CHANGES", 0)
    monkeypatch.setattr(folding, "FEW_CHANGES", 0)
    base, changes = split(store(PAIRS, base=[[(1, "a")], [(2, None), (2, None)]], log={2: [(-1, 2, None)]}))
    folded = engine.fold(base, changes, directory())
    assert after(base, folded.files.paths, folded.removed) == Counter({(1, "a"): 1, (2, None): 1})


def test_difference_of_two_stored_multisets(engine: SparkEngine, store: Store, directory: Directory) -> None:
    new = store(PAIRS, base=[[(1, "a"), (1, "a"), (2, None)]])
    old = store(PAIRS, base=[[(1, "a"), (3, "c")]], log={1: [(-1, 3, "c"), (1, 4, None)]})
    written = engine.write_difference(new, old, 8, directory())
    assert bag(written.paths) == Counter({(8, 1, 1, "a"): 1, (8, 1, 2, None): 1, (8, -1, 4, None): 1})
    assert (written.inserted, written.deleted, written.schema) == (2, 1, PAIRS)


def test_differing_rows_are_named_with_their_surplus(engine: SparkEngine, store: Store) -> None:
    times = schema(k="bigint", at="timestamp")
    noon = dt.datetime(2024, 6, 1, 12, tzinfo=dt.UTC)
    left = View("l", store(times, base=[[(1, noon), (1, noon), (2, None)]]))
    right = View("r", store(times, base=[[(1, noon), (2, None), (3, None)]]))
    columns, rows = engine.differing_rows([left, right], "SELECT * FROM l", "SELECT k AS x, at AS y FROM r", 10)
    assert columns[:2] == ("k", "at")
    assert set(rows) == {(1, noon, 1), (3, None, -1)}
    assert len(engine.differing_rows([left, right], "SELECT * FROM l", "SELECT * FROM r", 1)[1]) == 1
    assert engine.differing_rows([left], "SELECT * FROM l", "SELECT * FROM l", 10)[1] == []


def test_folding_something_with_changes_pending_is_refused(
    engine: SparkEngine, store: Store, directory: Directory
) -> None:
    things = store(PAIRS, base=[[(1, "a")]], log={2: [(-1, 1, "a")]})
    with pytest.raises(CorruptLakeError, match="folded table is expected"):
        engine.fold(things, split(things)[1], directory())
    assert isinstance(things.parts[0], FilePart)
