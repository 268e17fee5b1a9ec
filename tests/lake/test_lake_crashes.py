"""Killed at every commit boundary, a mirror ends up with the same rows when the work is done again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from lake_rows import ORDERS, SCHEMA, changed, copied, counted, stamp

from trickle.lake.delta_lake import DeltaLake
from trickle.model.epoch import Cut, CutState

POINTS = [
    "lake.before_cut",
    "lake.cut_committed",
    "lake.cut_begun",
    "lake.cut_sealed",
    "lake.base_written",
    "lake.before_table",
    "lake.table_committed",
    "lake.changes_written",
    "lake.before_log",
    "lake.log_committed",
]


def work(lake: DeltaLake) -> None:
    """Six epochs, each begun, written and sealed; what is there already is left alone."""
    for epoch in range(1, 7):
        cut = Cut(epoch, f"cut-{epoch}", "run", CutState.BEGUN)
        known = {found.epoch: found for found in lake.cuts()}
        if epoch not in known:
            lake.record(cut)
        stored = lake.stored(ORDERS)
        if stored is None or stored.epoch < epoch:
            write(lake, epoch)
        if epoch not in known or known[epoch].state is CutState.BEGUN:
            lake.record(Cut(epoch, f"cut-{epoch}", "run", CutState.SEALED))


def write(lake: DeltaLake, epoch: int) -> None:
    match epoch:
        case 1:
            lake.create(ORDERS, SCHEMA, copied([(1, "a"), (2, None)]), stamp(1))
        case 2:
            lake.append(ORDERS, changed([(-1, 1, "a"), (1, 3, "c")]), stamp(2))
        case 3:
            lake.append(ORDERS, changed([(1, 4, "d")], truncated=True), stamp(3))
        case 4:
            lake.resync(ORDERS, copied([(5, "e"), (4, "d")]), stamp(4))
        case 5:
            lake.create(ORDERS, SCHEMA, copied([(6, "f")]), stamp(5))
        case _:
            lake.append(ORDERS, changed([(1, 7, "g")]), stamp(6))


@pytest.mark.parametrize("turn", [1, 2, 5])
@pytest.mark.parametrize("point", POINTS)
def test_killed_work_is_completed(tmp_path: Path, point: str, turn: int) -> None:
    root = str(tmp_path / "lake")
    script = f"import test_lake_crashes as t; t.work(t.DeltaLake.open_or_create({root!r}))"
    environment = {**os.environ, "TRICKLE_FAILPOINT": f"{point}:{turn}", "PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, check=False, capture_output=True, text=True)
    assert done.returncode in {0, -signal.SIGKILL}, done.stderr
    lake = DeltaLake.open_or_create(root)
    work(lake)
    assert [cut.state for cut in lake.cuts()] == [CutState.SEALED] * 6
    assert counted(lake.rows_at(ORDERS, 5)) == Counter([(6, "f")])
    assert counted(lake.rows_at(ORDERS, 6)) == Counter([(6, "f"), (7, "g")])
    assert counted(lake.changes(ORDERS, 5, 6)) == Counter([(7, "g")])
