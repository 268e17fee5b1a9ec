"""The history of refreshes, kept as a Delta table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import cast

import pyarrow as pa

from trickle.model.report import TableRun

SCHEMA = pa.schema(
    [
        ("run_id", pa.string()),
        ("epoch", pa.int64()),
        ("table", pa.string()),
        ("mode", pa.string()),
        ("reason", pa.string()),
        ("rows_inserted", pa.int64()),
        ("rows_deleted", pa.int64()),
        ("seconds", pa.float64()),
        ("status", pa.string()),
        ("error", pa.string()),
        ("moment", pa.timestamp("us", tz="UTC")),
        ("finished_at", pa.timestamp("us", tz="UTC")),
    ]
)


def entries(run_id: str, epoch: int, moment: datetime, runs: Sequence[TableRun]) -> pa.Table:
    """What one run did, a row a table; `moment` is what its queries took for the current time."""
    now = datetime.now(UTC)
    rows = [
        {
            "run_id": run_id,
            "epoch": epoch,
            "table": run.name,
            "mode": str(run.mode) if run.mode else "",
            "reason": run.reason,
            "rows_inserted": run.rows_inserted,
            "rows_deleted": run.rows_deleted,
            "seconds": run.seconds,
            "status": str(run.status),
            "error": run.error,
            "moment": moment,
            "finished_at": now,
        }
        for run in runs
    ]
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def moment_of(history: pa.Table, table: str) -> datetime | None:
    """What the newest refresh of a table took for the current time; `history` has the newest first."""
    for row in history.to_pylist():
        if row["table"] == table and row["status"] == "ok":
            return cast("datetime", row["moment"])
    return None
