"""A small project behind the command line's port: fixed reports, and a note of what was asked."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

import pyarrow as pa

from trickle.errors import Location, ProjectError
from trickle.model.report import (
    Check,
    ChosenMode,
    Explanation,
    PlanReport,
    Progress,
    RunReport,
    RunStatus,
    SourceRun,
    SourceStatus,
    StatusReport,
    TablePlan,
    TableRun,
    TableStatus,
    Verification,
)

PLAN = PlanReport(
    epoch=3,
    tables=(
        TablePlan(
            name="revenue",
            declared_mode="auto",
            mode=ChosenMode.DIFFERENTIAL,
            reason="12 of 4,000 rows changed",
            location=Location("tables/revenue.sql"),
            pending_rows={"shop.orders": 12, "customers_clean": 0},
            upstream=("shop.orders", "customers_clean"),
        ),
        TablePlan(
            name="ranked",
            declared_mode="auto",
            mode=ChosenMode.FULL,
            reason="NO_RULE: no delta rule for row_number()",
            location=Location("tables/ranked.sql", 3, 8),
            pending_rows={"revenue": None},
            upstream=("revenue",),
        ),
    ),
)

RUN = RunReport(
    run_id="r1",
    epoch=4,
    ok=True,
    tables=(TableRun("revenue", ChosenMode.DIFFERENTIAL, "12 rows changed", 3, 2, 0.4123, RunStatus.OK),),
    sources=(SourceRun("shop.orders", "changes", 12, 0.02, RunStatus.OK),),
)

FAILED_RUN = RunReport(
    run_id="r2",
    epoch=4,
    ok=False,
    tables=(
        TableRun("revenue", ChosenMode.FULL, "no baseline", 0, 0, 0.1, RunStatus.ERROR, "division by zero"),
        TableRun("ranked", None, "upstream failed", 0, 0, 0.0, RunStatus.SKIPPED),
    ),
    sources=(SourceRun("shop.gone", "", 0, 0.0, RunStatus.ERROR, "", "table is missing"),),
)

STATUS = StatusReport(
    epoch=4,
    sources=(
        SourceStatus("shop.orders", "trigger", "STREAMING", 0, 12),
        SourceStatus("far.x", "auto", "?", None, None),
    ),
    tables=(TableStatus("revenue", 4, "DIFFERENTIAL", 3, "2024-05-01T10:00:00Z", "ok"),),
)

RESULT = pa.table(
    {
        "region": pa.array(["US", None, "EU, west"]),
        "revenue": pa.array([Decimal("12345678901234567890.10"), None, Decimal("0E-2")], pa.decimal128(38, 2)),
        "at": pa.array(
            [datetime.datetime(2024, 5, 1, 10, 0, 0, 1), None, datetime.datetime(2024, 5, 1)], pa.timestamp("us", "UTC")
        ),
        "share": pa.array([float("nan"), None, 0.5]),
        "n": pa.array([2**60, None, 1]),
    }
)


@dataclass
class FakeDatabase:
    """A database that answers every statement with one row."""

    asked: list[tuple[str, object]]

    def url(self) -> str:
        return "postgresql://shop:hunter2@127.0.0.1:5432/shop"

    def start(self) -> None:
        self.asked.append(("start", None))

    def stop(self) -> None:
        self.asked.append(("stop", None))

    def execute(self, sql: str) -> tuple[Sequence[str], Sequence[Sequence[object]]] | None:
        self.asked.append(("execute", sql))
        return (("id", "name"), [(1, "Ada")]) if "select" in sql else None


@dataclass
class FakeProject:
    """Reports to give, an error to raise instead, and what was asked."""

    run_report: RunReport = RUN
    steps: tuple[Progress, ...] = ()
    verifications: tuple[Verification, ...] = (Verification("revenue", True, 4, "mirrors"),)
    checks: tuple[Check, ...] = (Check("java", True, "17.0.1"),)
    history_rows: pa.Table = field(default_factory=lambda: pa.table({"table": ["revenue"], "seconds": [0.5]}))
    result: pa.Table = field(default_factory=lambda: RESULT)
    error: BaseException | None = None
    asked: list[tuple[str, object]] = field(default_factory=list)

    def load(self, directory: Path, *, target: str | None, variables: Mapping[str, object] | None) -> FakeProject:
        self.asked.append(("load", (str(directory), target, dict(variables or {}))))
        if self.error:
            raise self.error
        return self

    def plan(self, *, offline: bool, select: Sequence[str], exclude: Sequence[str]) -> PlanReport:
        self.asked.append(("plan", (offline, tuple(select), tuple(exclude))))
        return PLAN

    def run(
        self,
        *,
        select: Sequence[str],
        exclude: Sequence[str],
        full_refresh: bool,
        progress: Callable[[Progress], None] | None,
    ) -> RunReport:
        self.asked.append(("run", (tuple(select), tuple(exclude), full_refresh)))
        for step in self.steps if progress else ():
            assert progress is not None
            progress(step)
        return self.run_report

    def table(self, name: str) -> pa.Table:
        if name != "revenue":
            raise ProjectError(f'no stream table "{name}"', hint='did you mean "revenue"?')
        return self.result

    def status(self) -> StatusReport:
        return STATUS

    def history(self, limit: int) -> pa.Table:
        return self.history_rows.slice(0, limit)

    def verify(
        self, *, select: Sequence[str], exclude: Sequence[str], source: bool, limit: int
    ) -> tuple[Verification, ...]:
        self.asked.append(("verify", (tuple(select), tuple(exclude), source, limit)))
        return self.verifications

    def explain(self, name: str) -> Explanation:
        return Explanation(name, "Aggregate\n└── Scan orders", {"delta": "SELECT 1 AS x"}, refused="")

    def compile(self) -> tuple[Path, ...]:
        return (Path("target/revenue.sql"),)

    def doctor(self) -> tuple[Check, ...]:
        return self.checks

    def drop(self, name: str | None) -> tuple[str, ...]:
        self.asked.append(("drop", name))
        return (f"dropped {name or 'everything'}",)

    def names(self, *, select: Sequence[str], exclude: Sequence[str]) -> tuple[str, ...]:
        self.asked.append(("names", (tuple(select), tuple(exclude))))
        return ("customers_clean", "revenue")

    def database(self, connection: str | None) -> FakeDatabase:
        self.asked.append(("database", connection))
        return FakeDatabase(self.asked)
