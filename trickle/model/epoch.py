"""Epochs: the one clock all stored state is indexed by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from trickle.model.names import RelationName


@dataclass(frozen=True, slots=True)
class Position:
    """A committed point of one database: who the server is, and which transactions are visible."""

    system_id: str
    timeline: int
    snapshot: str
    lsn: str


class SourcePart(StrEnum):
    """What a cut holds of a source."""

    COPY = "copy"
    """The first copy: the mirror begins here."""
    CHANGES = "changes"
    """Changes since the source's previous cut."""
    RESYNC = "resync"
    """A new copy written as a difference, because changes may have been missed."""


class CutState(StrEnum):
    """Where a cut is on its way into the lake."""

    BEGUN = "begun"
    """Written ahead: its position is fixed, its buffers may be incomplete."""
    SEALED = "sealed"
    """Every listed source is complete; readers may use it."""
    ABORTED = "aborted"
    """Could not be completed; its sources are resynced by a later cut."""


@dataclass(frozen=True, slots=True)
class Cut:
    """One capture step: an epoch, the position of each database, and the sources in it."""

    epoch: int
    cut_id: str
    run_id: str
    state: CutState
    positions: Mapping[str, Position] = field(default_factory=dict)
    sources: Mapping[RelationName, SourcePart] = field(default_factory=dict)
    at: str = ""
