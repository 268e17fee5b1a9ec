"""`trickle status`: where every source and table stands."""

from __future__ import annotations

import click

from trickle.cli.options import json_option, project_options
from trickle.cli.session import Session


@click.command()
@json_option
@project_options
@click.pass_obj
def status(session: Session, as_json: bool) -> None:
    """Show the epoch, what is captured, and the state of every table."""
    report = session.project().status()
    if as_json:
        from trickle.cli.documents import status_document
        from trickle.cli.render import print_json

        print_json(status_document(report))
        return
    from trickle.cli.reports import print_status

    print_status(report)
