"""`trickle plan`: what would be refreshed, how, and why."""

from __future__ import annotations

import click

from trickle.cli.options import json_option, project_options, selection_options
from trickle.cli.session import Session


@click.command()
@click.option("--offline", is_flag=True, help="Use project files only: no database, no JVM.")
@selection_options
@json_option
@project_options
@click.pass_obj
def plan(session: Session, offline: bool, as_json: bool) -> None:
    """Show what a run would refresh, how, and why.

    A table is refreshed FULL, DIFFERENTIAL, or not at all when there is NO_DATA; the figure beside each input counts
    its pending change rows.
    """
    report = session.project().plan(offline=offline, select=session.select, exclude=session.exclude)
    if as_json:
        from trickle.cli.documents import plan_document
        from trickle.cli.render import print_json

        print_json(plan_document(report))
        return
    from trickle.cli.reports import print_plan

    print_plan(report)
