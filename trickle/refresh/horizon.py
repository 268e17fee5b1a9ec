"""At which epochs a relation's stored rows are true, and to which epoch a table may be refreshed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from trickle.model.epoch import Cut, CutState
from trickle.model.names import RelationName
from trickle.model.ports import Stored


@dataclass(frozen=True, slots=True)
class Standing:
    """A stored relation and the epochs it is valid at."""

    stored: Stored
    valid: frozenset[int]


def last_sealed(cuts: Sequence[Cut]) -> int:
    """The newest sealed epoch, 0 before the first."""
    return max((cut.epoch for cut in cuts if cut.state is CutState.SEALED), default=0)


def source_standing(name: RelationName, stored: Stored, cuts: Sequence[Cut]) -> Standing:
    """A source is valid at the sealed cuts it took part in, from where its log begins.

    A cut that left it out tells nothing: its changes up to that cut are still waiting in the database.
    """
    taken = (cut.epoch for cut in cuts if cut.state is CutState.SEALED and name in cut.sources)
    return Standing(stored, frozenset(epoch for epoch in taken if epoch >= stored.since))


def table_standing(stored: Stored, inputs: Mapping[RelationName, Standing]) -> Standing:
    """A stream table is valid at its own epoch, and at later ones until an input changes."""
    later = (epoch for epoch in common(inputs.values()) if epoch > stored.epoch)
    unchanged = (epoch for epoch in later if not _changed(stored.epoch, epoch, inputs))
    return Standing(stored, frozenset((stored.epoch, *unchanged)))


def common(inputs: Iterable[Standing]) -> frozenset[int]:
    """The epochs at which all of them are valid."""
    valid = [standing.valid for standing in inputs]
    return frozenset.intersection(*valid) if valid else frozenset()


def target_epoch(inputs: Iterable[Standing]) -> int | None:
    """The newest epoch at which every input is valid, or None when there is none."""
    return max(common(inputs), default=None)


def _changed(after: int, upto: int, inputs: Mapping[RelationName, Standing]) -> bool:
    return any(item.stored.since > after or item.stored.pending(after, upto) for item in inputs.values())
