"""What a commit says about itself in Delta `txn` actions: integers that checkpoints and foreign commits keep."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from deltalake import DeltaTable, Transaction

from trickle.model.ports import Stamp

EPOCH = "trickle.epoch"
SINCE = "trickle.since"
BASE = "trickle.base"
SEQUENCE = "trickle.sequence"
FINGERPRINT = "trickle.fingerprint"

_DIGITS = 15
_MOST_CHUNKS = 8


@dataclass(frozen=True, slots=True)
class Marks:
    """Epochs and fingerprint of one Delta table; None where a table does not use one."""

    epoch: int | None = None
    since: int | None = None
    base: int | None = None
    sequence: int | None = None
    fingerprint: str = ""

    def transactions(self) -> list[Transaction]:
        numbers = {EPOCH: self.epoch, SINCE: self.since, BASE: self.base, SEQUENCE: self.sequence}
        known = {app: number for app, number in numbers.items() if number is not None}
        return [Transaction(app, number) for app, number in {**known, **_chunks(self.fingerprint)}.items()]


def marks_of(table: DeltaTable) -> Marks:
    """Read the marks of a table at the version its handle has loaded."""
    chunks = range(table.transaction_version(FINGERPRINT) or 0)
    digits = [table.transaction_version(f"{FINGERPRINT}.{place}") for place in chunks]
    return Marks(
        epoch=table.transaction_version(EPOCH),
        since=table.transaction_version(SINCE),
        base=table.transaction_version(BASE),
        sequence=table.transaction_version(SEQUENCE),
        fingerprint="".join(f"{number:x}"[1:] for number in digits if number is not None),
    )


def _chunks(fingerprint: str) -> dict[str, int]:
    """A hexadecimal text as integers of 15 digits each, every one led by a 1 so that no zero is lost."""
    if not re.fullmatch(r"[0-9a-f]*", fingerprint) or len(fingerprint) > _DIGITS * _MOST_CHUNKS:
        raise ValueError(f"a fingerprint is at most {_DIGITS * _MOST_CHUNKS} lowercase hexadecimal digits")
    parts = [fingerprint[start : start + _DIGITS] for start in range(0, len(fingerprint), _DIGITS)]
    numbers = {f"{FINGERPRINT}.{place}": int("1" + part, 16) for place, part in enumerate(parts)}
    return {FINGERPRINT: len(parts), **numbers}


def for_people(stamp: Stamp) -> Mapping[str, str]:
    """The stamp as commit metadata, which only people read."""
    return {
        "trickle.epoch": str(stamp.epoch),
        "trickle.run": stamp.run_id,
        "trickle.fingerprint": stamp.fingerprint,
        "trickle.mode": stamp.mode,
        "trickle.position": stamp.position,
    }
