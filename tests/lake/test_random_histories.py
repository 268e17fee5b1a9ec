"""Random histories of a mirror, compared with a plain multiset at every epoch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.parquet as pq
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from lake_rows import ORDERS, SCHEMA, Row, changed, copied, counted, stamp

from trickle.lake.delta_lake import DeltaLake
from trickle.model.files import WrittenFiles

ROWS = st.lists(st.tuples(st.sampled_from([1, 2, 3, None]), st.sampled_from(["a", None])), max_size=4)


class Mirror(RuleBasedStateMachine):
    """Copies, changes, truncations, resyncs and folds; `states` is what each epoch must hold."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.root = str(Path(self.folder.name) / "lake")
        self.lake = DeltaLake.open_or_create(self.root)
        self.states: dict[int, Counter[Row]] = {}
        self.since = 0

    @property
    def epoch(self) -> int:
        return max(self.states)

    @initialize(rows=ROWS)
    def begin(self, rows: list[Row]) -> None:
        self.lake.create(ORDERS, SCHEMA, copied(rows), stamp(1))
        self.states = {1: Counter(rows)}
        self.since = 1

    @rule(gained=ROWS, data=st.data(), skip=st.integers(1, 2))
    def change(self, gained: list[Row], data: st.DataObject, skip: int) -> None:
        present = list(self.states[self.epoch].elements())
        places = data.draw(st.sets(st.sampled_from(range(len(present))))) if present else set()
        lost = [present[place] for place in sorted(places)]
        changes = [(-1, *row) for row in lost] + [(1, *row) for row in gained]
        epoch = self.epoch + skip
        self.lake.append(ORDERS, changed(changes), stamp(epoch))
        self.states[epoch] = self.states[self.epoch] - Counter(lost) + Counter(gained)

    @rule(rows=ROWS)
    def truncate(self, rows: list[Row]) -> None:
        epoch = self.epoch + 1
        self.lake.append(ORDERS, changed([(1, *row) for row in rows], truncated=True), stamp(epoch))
        self.states[epoch] = Counter(rows)

    @rule(rows=ROWS)
    def resync(self, rows: list[Row]) -> None:
        epoch = self.epoch + 1
        self.lake.resync(ORDERS, copied(rows), stamp(epoch))
        self.states[epoch] = Counter(rows)

    @rule(rows=ROWS)
    def copy_again(self, rows: list[Row]) -> None:
        epoch = self.epoch + 1
        self.lake.create(ORDERS, SCHEMA, copied(rows), stamp(epoch))
        self.states, self.since = {epoch: Counter(rows)}, epoch

    @rule(data=st.data())
    def fold(self, data: st.DataObject) -> None:
        stored = self.lake.stored(ORDERS)
        assert stored is not None
        assert stored.base_epoch is not None
        base = stored.base_epoch
        upto = data.draw(st.sampled_from([epoch for epoch in self.states if epoch >= base]))
        old = [path for part in self.lake.rows_at(ORDERS, base).parts for path in part.paths]
        self.lake.commit_table(ORDERS, self._staged(list(self.states[upto].elements())), old, stamp(upto))

    @rule()
    def reopen(self) -> None:
        self.lake = DeltaLake.open_or_create(self.root)

    @rule(table=st.booleans())
    def compact(self, table: bool) -> None:
        from deltalake import DeltaTable

        DeltaTable(str(Path(self.lake.staging(ORDERS, log=not table)).parent)).optimize.compact()

    @invariant()
    def every_epoch_is_right(self) -> None:
        for epoch, rows in self.states.items():
            assert counted(self.lake.rows_at(ORDERS, epoch)) == rows
            net = Counter(self.states[self.epoch])
            net.subtract(rows)
            found = counted(self.lake.changes(ORDERS, epoch, self.epoch))
            assert found == Counter({row: weight for row, weight in net.items() if weight})

    def _staged(self, rows: list[Row]) -> WrittenFiles:
        directory = Path(self.lake.staging(ORDERS, log=False))
        directory.mkdir(parents=True)
        path = directory / "part.parquet"
        pq.write_table(copied(rows).read_all(), path)
        return WrittenFiles(str(directory), (str(path),) if rows else (), SCHEMA, len(rows))

    def teardown(self) -> None:
        self.folder.cleanup()


TestMirror: Callable[..., object] = Mirror.TestCase
Mirror.TestCase.settings = settings(max_examples=25, stateful_step_count=12, deadline=None)
