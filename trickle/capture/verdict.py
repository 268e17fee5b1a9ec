"""Whether the changes of a source are complete since its last cut, or why it has to be copied."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import psycopg2
from psycopg2.extensions import connection as PgConnection  # noqa: N812 - a class, whatever the library calls it

from trickle.capture.catalog import Description, describe
from trickle.capture.registry import Registered, Source
from trickle.capture.server import Moved
from trickle.capture.session import fetch_one
from trickle.capture.snapshot import Snapshot
from trickle.capture.stream import Interval
from trickle.capture.witness import difference, witness
from trickle.errors import SourceError, TrickleError
from trickle.model.epoch import Position
from trickle.model.stream_table import SourceTable

_GAP = """
SELECT coalesce((
    SELECT reason FROM trickle.gaps
    WHERE relid = %s AND pg_visible_in_snapshot(xid, %s::pg_snapshot)
      AND NOT pg_visible_in_snapshot(xid, %s::pg_snapshot)
    ORDER BY id LIMIT 1), '')
"""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a cut can give of one source.

    `copy_reason` is empty when the changes in `interval` are complete; `generation` is empty when the capture is not
    whole in the snapshot; `problem` says why not even a copy is possible.
    """

    table: Description | None
    interval: Interval | None
    copy_reason: str
    generation: str = ""
    problem: TrickleError | None = None


@dataclass(frozen=True)
class Judge:
    """Judges sources for one lake at the position a cut has, in the session's own snapshot.

    `known_cuts` is None where the lake's cuts are not at hand.
    """

    session: PgConnection
    registered: Registered
    position: Position
    known_cuts: frozenset[str] | None = None

    def verdict(self, source: SourceTable, since: Position | None) -> Verdict:
        """Judge one source; what is wrong with it is part of the verdict, not an exception."""
        try:
            table = describe(self.session, source)
        except TrickleError as error:
            return Verdict(None, None, error.message, problem=error)
        captured = self.registered.sources.get(table.relid)
        name = str(source.name)
        broken = self._broken(name, table, captured)
        generation = captured.generation if captured and not broken else ""
        if since is None:
            return Verdict(table, None, "first copy", generation)
        reason = self._missed(name, since, generation) or broken or self._gap(table, since)
        return Verdict(table, Interval(since.snapshot, self.position.snapshot), reason, generation)

    def _broken(self, name: str, table: Description, captured: Source | None) -> str:
        capture = self.registered.captures.get(name)
        if captured is None or capture is None:
            return "it is not captured yet"
        if capture.relid != table.relid:
            return "the table was replaced by another one of the same name"
        return difference(captured.witness, witness(self.session, table.relid))

    def _missed(self, name: str, since: Position, generation: str) -> str:
        """Why changes since that position may be missing, whatever the state of the capture now."""
        moved = Moved(since, self.position).reason
        if moved:
            return moved
        checks: tuple[tuple[Callable[[], bool], str], ...] = (
            (self._lake_went_back, "the lake is older than what was already released for it"),
            (lambda: self._released(name, since), "changes since the lake's position were already released"),
            (
                lambda: bool(generation) and self.registered.generation(name, since.snapshot) != generation,
                "its capture was installed again since the last cut",
            ),
        )
        return next((words for holds, words in checks if holds()), "")

    def _lake_went_back(self) -> bool:
        cut_id = self.registered.cut_id
        return self.known_cuts is not None and cut_id is not None and cut_id not in self.known_cuts

    def _released(self, name: str, since: Position) -> bool:
        capture = self.registered.captures.get(name)
        return capture is not None and not Snapshot.parse(capture.snapshot).within(Snapshot.parse(since.snapshot))

    def _gap(self, table: Description, since: Position) -> str:
        try:
            found = fetch_one(self.session, _GAP, (table.relid, self.position.snapshot, since.snapshot))
        except psycopg2.Error as error:
            raise SourceError("the table trickle.gaps cannot be read", detail=str(error).strip()) from error
        return f"a change could not be captured ({found[0]})" if found[0] else ""
