"""`trickle run`: capture, then refresh what is stale."""

from __future__ import annotations

from collections.abc import Callable

import click

from trickle.cli.options import json_option, project_options, selection_options
from trickle.cli.session import Session
from trickle.model.report import Progress, RunReport


@click.command()
@selection_options
@click.option("--full-refresh", is_flag=True, help="Recompute the selected tables from their inputs.")
@json_option
@project_options
@click.pass_obj
def run(session: Session, full_refresh: bool, as_json: bool) -> None:
    """Capture changes, then refresh every stale table."""
    report = _quietly(session, full_refresh) if as_json else _visibly(session, full_refresh)
    if not report.ok:
        raise click.exceptions.Exit(1)


def _quietly(session: Session, full_refresh: bool) -> RunReport:
    from trickle.cli.documents import run_document
    from trickle.cli.render import print_json

    report = _run(session, full_refresh, None)
    print_json(run_document(report))
    return report


def _visibly(session: Session, full_refresh: bool) -> RunReport:
    from trickle.cli.progress import reporter

    shown = reporter()
    with shown:
        report = _run(session, full_refresh, shown)
    shown.finish(report)
    return report


def _run(session: Session, full_refresh: bool, progress: Callable[[Progress], None] | None) -> RunReport:
    return session.project().run(
        select=session.select, exclude=session.exclude, full_refresh=full_refresh, progress=progress
    )
