"""Snapshots as PostgreSQL prints them, and which of two saw more."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`xmin:xmax:running`: a transaction is visible when it is below `xmax` and not among `running`."""

    xmin: int
    xmax: int
    running: frozenset[int]

    @staticmethod
    def parse(text: str) -> Snapshot:
        xmin, xmax, running = text.split(":")
        return Snapshot(int(xmin), int(xmax), frozenset(int(xid) for xid in running.split(",") if xid))

    def sees(self, xid: int) -> bool:
        """Whether a transaction had ended when the snapshot was taken."""
        return xid < self.xmax and xid not in self.running

    def within(self, later: Snapshot) -> bool:
        """Whether everything visible here is visible in `later` too."""
        return self.xmax <= later.xmax and not any(self.sees(xid) for xid in later.running)
