"""Open Delta handles of one lake, kept for its lifetime, and the relations they make up."""

from __future__ import annotations

import threading

from trickle.errors import CorruptLakeError
from trickle.lake.delta import Delta
from trickle.lake.layout import Layout
from trickle.lake.relation import Relation, relation
from trickle.model.names import Name, RelationName, StateName


class Store:
    """Hands out one `Delta` for each folder, so that what was seen of it is remembered."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._open: dict[str, Delta] = {}
        self._lock = threading.Lock()

    def table(self, name: RelationName) -> Delta:
        return self._delta(self.layout.table(name), f"{name.schema}.{name.table}")

    def log(self, name: Name) -> Delta:
        if isinstance(name, StateName):
            return self._delta(self.layout.log(name), f"state {name.table.schema}.{name.table.table} {name.node}")
        return self._delta(self.layout.log(name), f"changes {name.schema}.{name.table}")

    def read(self, name: Name) -> Relation | None:
        """What the lake holds of a name now."""
        if isinstance(name, StateName):
            log = self.log(name).read()
            return None if log is None else Relation(name, None, log)
        return relation(name, self.table(name).read(), self.log(name).read())

    def current(self, name: Name) -> Relation | None:
        """The same, for a commit to build on: raises FencedError when another run has moved it."""
        if isinstance(name, StateName):
            log = self.log(name).current()
            return None if log is None else Relation(name, None, log)
        return relation(name, self.table(name).current(), self.log(name).current())

    def need(self, name: Name) -> Relation:
        found = self.read(name)
        if found is None:
            raise missing(name)
        return found

    def forget(self) -> None:
        """Forget all handles after folders were removed."""
        with self._lock:
            self._open.clear()

    def _delta(self, path: str, name: str) -> Delta:
        with self._lock:
            return self._open.setdefault(path, Delta(path, name))


def missing(name: Name) -> CorruptLakeError:
    return CorruptLakeError(f'"{name}" is not in the lake', hint="run it once, so that it is built")
