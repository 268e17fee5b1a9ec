"""The reports of `plan`, `run`, `status`, `verify` and `doctor` as tables for people."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from trickle.cli.redact import redact
from trickle.cli.render import console, grid, mode_text, print_failure, print_rows, status_text
from trickle.model.report import (
    Check,
    ChosenMode,
    PlanReport,
    RunReport,
    RunStatus,
    SourceRun,
    StatusReport,
    TablePlan,
    TableRun,
    TableStatus,
    Verification,
)


def print_plan(report: PlanReport) -> None:
    """What would be refreshed, how and why; the figure beside each input is its pending change rows."""
    rows = [(Text(plan.name, "bold"), _planned_mode(plan), _pending(plan), _reason(plan)) for plan in report.tables]
    out = console()
    out.print(Text(f"Plan after epoch {report.epoch}", "bold"), "", sep="\n")
    out.print(grid(("Table", "Mode", "Upstream, pending", "Reason"), rows, fold="Reason"))
    out.print("", _modes([plan.mode for plan in report.tables]), sep="\n")


def _planned_mode(plan: TablePlan) -> Text:
    return Text("\n").join([mode_text(plan.mode), Text(f"declared {plan.declared_mode}", "dim")])


def _pending(plan: TablePlan) -> Text:
    names = list(dict.fromkeys([*plan.upstream, *plan.pending_rows]))
    lines = [Text(f"{name} ").append(*_count(plan, name)) for name in names]
    return Text("\n").join(lines)


def _count(plan: TablePlan, name: str) -> tuple[str, str]:
    count = plan.pending_rows.get(name)
    if count is None:
        return "?", "dim"
    return (f"{count:,}", "cyan") if count else ("0", "dim")


def _reason(plan: TablePlan) -> Text:
    reason = Text(redact(plan.reason))
    where = str(plan.location)
    if plan.mode in (None, ChosenMode.FULL) and where not in plan.reason:
        reason.append(f"\n{where}", "dim")
    return reason


def _modes(modes: list[ChosenMode | None]) -> Text:
    order = (ChosenMode.DIFFERENTIAL, ChosenMode.FULL, ChosenMode.NO_DATA, None)
    counted = [(mode, modes.count(mode)) for mode in order if mode in modes]
    parts = [Text(f"{count} ").append_text(mode_text(mode)) for mode, count in counted]
    return Text(", ").join(parts) if parts else Text("no tables", "dim")


def print_run(report: RunReport) -> None:
    """What a run captured and refreshed, as tables."""
    out = console()
    captured = [source for source in report.sources if source.part or source.status is not RunStatus.OK]
    if captured:
        out.print(_sources(captured), "", sep="\n")
    if report.tables:
        out.print(_tables(report.tables), "", sep="\n")
    print_outcome(report)


def _sources(captured: list[SourceRun]) -> Table:
    rows = [
        (source.name, _captured(source), f"{source.rows:,}", f"{source.seconds:.2f}", redact(source.reason))
        for source in captured
    ]
    headers = ("Source", "Captured", "Rows", "Seconds", "Reason")
    return grid(headers, rows, numbers=("Rows", "Seconds"), fold="Reason")


def _captured(source: SourceRun) -> Text:
    return Text(source.part) if source.status is RunStatus.OK else status_text(source.status)


def _tables(runs: tuple[TableRun, ...]) -> Table:
    numbers = ("Inserted", "Deleted", "Seconds")
    return grid(("Table", "Mode", *numbers, "Reason"), [_table_row(run) for run in runs], numbers, fold="Reason")


def _table_row(run: TableRun) -> tuple[str | Text, ...]:
    how = mode_text(run.mode) if run.status is RunStatus.OK else status_text(run.status)
    changed = (f"{run.rows_inserted:,}", f"{run.rows_deleted:,}", f"{run.seconds:.2f}")
    return (Text(run.name, "bold"), how, *changed, redact(run.reason))


def print_outcome(report: RunReport) -> None:
    """Every error of a run in full, and its closing line."""
    parts: tuple[SourceRun | TableRun, ...] = (*report.sources, *report.tables)
    for part in parts:
        if part.error:
            print_failure(part.name, part.error)
    failed = [part.name for part in parts if part.status is RunStatus.ERROR]
    skipped = [part.name for part in parts if part.status is RunStatus.SKIPPED]
    refreshed = [run.mode for run in report.tables if run.status is RunStatus.OK]
    words = [f"epoch {report.epoch}", *([_modes(refreshed).plain] if refreshed else [])]
    words += [f"failed: {', '.join(failed)}"] if failed else []
    words += [f"skipped: {', '.join(skipped)}"] if skipped else []
    verdict = ("done", "bold green") if report.ok else ("failed", "bold red")
    console().print(Text.assemble(verdict, f"  {'; '.join(words)}  (run {report.run_id})"))


def print_status(report: StatusReport) -> None:
    """Where every source and table stands."""
    sources = [
        (source.name, source.cdc_mode, source.state, _figure(source.pending_rows), _figure(source.lag_bytes))
        for source in report.sources
    ]
    tables = [_status_row(table) for table in report.tables]
    numbers = ("Pending", "Lag bytes", "Epoch", "Rows")
    out = console()
    out.print(Text(f"Epoch {report.epoch}", "bold"), "", sep="\n")
    out.print(grid(("Source", "Capture", "State", "Pending", "Lag bytes"), sources, numbers), "", sep="\n")
    out.print(grid(("Table", "Epoch", "Mode", "Rows", "Last refresh", "Status"), tables, numbers))


def _status_row(table: TableStatus) -> tuple[str | Text, ...]:
    mode = mode_text(table.mode) if table.mode else Text("-", "dim")
    when = (table.last_refresh or "never", status_text(table.status))
    return (Text(table.name, "bold"), _figure(table.epoch), mode, _figure(table.rows), *when)


def _figure(value: int | None) -> Text:
    return Text("-", "dim") if value is None else Text(f"{value:,}")


def print_verifications(found: tuple[Verification, ...]) -> None:
    """Which tables equal their query, and the rows in which others differ."""
    out = console()
    rows = [(Text(one.name, "bold"), _verdict(one), str(one.epoch), one.against, redact(one.detail)) for one in found]
    out.print(grid(("Table", "Verdict", "Epoch", "Against", "Detail"), rows, ("Epoch",), fold="Detail"))
    for one in found:
        if one.rows:
            out.print("", Text(f"{one.name}: differing rows, the last column is found - expected", "bold"), sep="\n")
            print_rows(one.columns, one.rows)
    differing = [one.name for one in found if not one.equal]
    closing = Text(f"differs: {', '.join(differing)}", "bold red") if differing else Text("all equal", "bold green")
    out.print("", closing, sep="\n")


def _verdict(one: Verification) -> Text:
    return Text("equal", "green") if one.equal else Text("differs", "bold red")


def print_checks(checks: tuple[Check, ...]) -> None:
    """The lines of `doctor`, each failed one with its fix."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for check in checks:
        said = Text(redact(check.detail))
        if not check.ok and check.fix:
            said.append(f"\nfix: {redact(check.fix)}", "cyan")
        table.add_row(status_text("ok" if check.ok else "error"), check.name, said)
    console().print(table)
