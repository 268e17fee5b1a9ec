"""`trickle history`: what past runs did."""

from __future__ import annotations

import click

from trickle.cli.options import json_option, project_options
from trickle.cli.session import Session


@click.command()
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="Newest entries to show.")
@json_option
@project_options
@click.pass_obj
def history(session: Session, limit: int, as_json: bool) -> None:
    """Show the newest refreshes, with mode, rows, time and reason."""
    from trickle.cli.render import print_json_rows, print_rows
    from trickle.cli.values import rows

    found = session.project().history(limit)
    if as_json:
        print_json_rows(found)
    elif found.num_rows:
        print_rows(found.schema.names, rows(found))
    else:
        click.echo("no runs yet")
