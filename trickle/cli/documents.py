"""The reports as JSON documents: the contract that programs read.

A failure adds keys and never takes one away: `error` to a failed table, and the failed `sources` to a run.
"""

from __future__ import annotations

from dataclasses import asdict

from trickle.cli.redact import redact
from trickle.model.report import (
    Check,
    PlanReport,
    RunReport,
    RunStatus,
    SourceRun,
    StatusReport,
    TablePlan,
    TableRun,
    Verification,
)

Document = dict[str, object]


def plan_document(report: PlanReport) -> Document:
    """The answer of `plan --json`."""
    return {"epoch": report.epoch, "tables": [_table_plan(plan) for plan in report.tables]}


def _table_plan(plan: TablePlan) -> Document:
    return {
        "name": plan.name,
        "declared_mode": plan.declared_mode,
        "mode": plan.mode,
        "reason": redact(plan.reason),
        "location": str(plan.location),
        "pending_rows": dict(plan.pending_rows),
        "upstream": list(plan.upstream),
    }


def run_document(report: RunReport) -> Document:
    """The answer of `run --json`."""
    document: Document = {
        "run_id": report.run_id,
        "epoch": report.epoch,
        "ok": report.ok,
        "tables": [_table_run(run) for run in report.tables],
    }
    failed = [_source_run(source) for source in report.sources if source.status is not RunStatus.OK]
    return document | {"sources": failed} if failed else document


def _table_run(run: TableRun) -> Document:
    document: Document = {
        "name": run.name,
        "mode": run.mode,
        "reason": redact(run.reason),
        "rows_inserted": run.rows_inserted,
        "rows_deleted": run.rows_deleted,
        "seconds": round(run.seconds, 3),
        "status": run.status,
    }
    return document | {"error": redact(run.error)} if run.error else document


def _source_run(source: SourceRun) -> Document:
    return {"name": source.name, "status": source.status, "error": redact(source.error)}


def status_document(report: StatusReport) -> Document:
    """The answer of `status --json`."""
    return asdict(report)


def verify_document(found: tuple[Verification, ...]) -> Document:
    """The answer of `verify --json`; `rows` are arrays whose last value is `found - expected`."""
    return {"ok": all(one.equal for one in found), "tables": [asdict(one) for one in found]}


def doctor_document(checks: tuple[Check, ...]) -> Document:
    """The answer of `doctor --json`."""
    listed = [asdict(check) | {"detail": redact(check.detail), "fix": redact(check.fix)} for check in checks]
    return {"ok": all(check.ok for check in checks), "checks": listed}
