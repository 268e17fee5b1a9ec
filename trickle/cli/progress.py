"""Shows a run while it happens: a live table on a terminal, a line for each finished step elsewhere."""

from __future__ import annotations

import threading
import time
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Protocol

import click
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from trickle.cli.redact import redact
from trickle.cli.render import console, grid, mode_text, status_text
from trickle.cli.reports import print_outcome, print_run
from trickle.model.report import Progress, RunReport


class Reporter(AbstractContextManager["Reporter"], Protocol):
    """Hears of each step of a run, from any thread, and of its end."""

    def __call__(self, step: Progress) -> None: ...

    def finish(self, report: RunReport) -> None:
        """Print what was not yet told."""
        ...


def reporter() -> Reporter:
    """The reporter that suits stdout."""
    out = console()
    return LiveReporter(out) if out.is_terminal else LineReporter()


class LineReporter(AbstractContextManager["LineReporter"]):
    """A line for each step that ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __call__(self, step: Progress) -> None:
        if step.status == "running":
            return
        told = redact(step.error or step.reason).splitlines()
        figures = f"{step.rows:>10,} rows {step.seconds:>8.2f} s"
        line = f"{step.status:<8} {step.mode or step.kind:<13} {step.name:<24} {figures}  {told[0] if told else ''}"
        with self._lock:
            click.echo(line.rstrip())

    def finish(self, report: RunReport) -> None:
        """Print the closing line; the steps are told already."""
        print_outcome(report)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None


class LiveReporter(AbstractContextManager["LiveReporter"]):
    """A table of all steps, redrawn in place and gone when the run ends."""

    def __init__(self, out: Console) -> None:
        self._lock = threading.Lock()
        self._steps: dict[tuple[str, str], tuple[Progress, float]] = {}
        self._live = Live(console=out, get_renderable=self.table, transient=True, refresh_per_second=8)

    def __call__(self, step: Progress) -> None:
        with self._lock:
            key = (step.kind, step.name)
            began = self._steps[key][1] if key in self._steps else time.monotonic()
            self._steps[key] = (step, began)

    def table(self) -> Table:
        """All steps as they are now."""
        with self._lock:
            steps = list(self._steps.values())
        headers = ("Step", "Name", "Mode", "Rows", "Seconds", "Reason")
        return grid(headers, [_row(*step) for step in steps], ("Rows", "Seconds"), fold="Reason")

    def finish(self, report: RunReport) -> None:
        """Print the whole report in place of the live table."""
        print_run(report)

    def __enter__(self) -> LiveReporter:
        self._live.start(refresh=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()


def _row(step: Progress, began: float) -> tuple[str | Text, ...]:
    running = step.status == "running"
    seconds = time.monotonic() - began if running else step.seconds
    mode = mode_text(step.mode) if step.mode else Text(step.kind, "dim")
    told = redact(step.error or step.reason).split("\n", 1)[0]
    return (status_text(step.status), step.name, mode, "" if running else f"{step.rows:,}", f"{seconds:.1f}", told)
