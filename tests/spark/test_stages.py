"""Stages: what they find bounds what the views after them read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from spark_rows import PAIRS, bag

from trickle.engine.spark import SparkEngine
from trickle.model.files import StoredRows
from trickle.model.ports import Keys, LogTarget, Stage, View

pytestmark = pytest.mark.spark

JOINED = "SELECT t.k, t.v, t.w FROM things t JOIN moved m ON t.k = m.k"


@pytest.mark.parametrize(("least", "found"), [(2, {(5, 1, 2, "b"): 1}), (9, {})])
def test_only_rows_with_keys_of_the_stage_are_needed(
    engine: SparkEngine,
    store: Callable[..., StoredRows],
    directory: Callable[[], str],
    least: int,
    found: dict[tuple[object, ...], int],
) -> None:
    changes = View("changes", store(PAIRS, log={1: [(1, 1, "x"), (1, 2, "y")]}), "w")
    things = View("things", store(PAIRS, base=[[(1, "a"), (2, "b")]]), "w", within=Keys("k", (("moved", "k"),)))
    stage = Stage("moved", f"SELECT k, w FROM changes WHERE k >= {least}", ("changes",))
    written = engine.write_changes([changes, things], JOINED, LogTarget("w", 5, directory()), [stage])
    assert bag(written.paths) == Counter(found)
