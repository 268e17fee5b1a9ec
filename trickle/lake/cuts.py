"""Cuts as rows of the epochs table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import pyarrow as pa

from trickle.errors import FencedError
from trickle.model.epoch import Cut, CutState, Position, SourcePart
from trickle.model.names import RelationName

SCHEMA = pa.schema(
    [
        ("epoch", pa.int64()),
        ("cut_id", pa.string()),
        ("run_id", pa.string()),
        ("state", pa.string()),
        ("positions", pa.string()),
        ("sources", pa.string()),
        ("at", pa.string()),
    ]
)


def to_rows(cut: Cut) -> pa.Table:
    row = {
        "epoch": cut.epoch,
        "cut_id": cut.cut_id,
        "run_id": cut.run_id,
        "state": cut.state.value,
        "positions": json.dumps({name: asdict(position) for name, position in cut.positions.items()}),
        "sources": json.dumps([[name.schema, name.table, part.value] for name, part in cut.sources.items()]),
        "at": cut.at,
    }
    return pa.Table.from_pylist([row], schema=SCHEMA)


def newest(rows: pa.Table) -> tuple[Cut, ...]:
    """The last record of each cut, by epoch."""
    last = {row["epoch"]: row for row in rows.to_pylist()}
    return tuple(_cut(last[epoch]) for epoch in sorted(last))


def check_follows(known: Sequence[Cut], cut: Cut) -> None:
    """Refuse a record that contradicts what is recorded: only the newest cut may still change, and only once."""
    last = known[-1] if known else None
    if last is None or cut.epoch > last.epoch:
        return
    same = last.epoch == cut.epoch and last.cut_id == cut.cut_id
    if not same or last.state is not CutState.BEGUN:
        raise FencedError(
            f"epoch {cut.epoch}: cannot be {cut.state.value}",
            detail=f"epoch {last.epoch} is {last.state.value} already, by run {last.run_id}",
        )


def _cut(row: dict[str, Any]) -> Cut:
    return Cut(
        epoch=row["epoch"],
        cut_id=row["cut_id"],
        run_id=row["run_id"],
        state=CutState(row["state"]),
        positions={name: Position(**position) for name, position in json.loads(row["positions"]).items()},
        sources={RelationName(schema, table): SourcePart(part) for schema, table, part in json.loads(row["sources"])},
        at=row["at"],
    )
