"""`trickle ls`: names, one a line."""

from __future__ import annotations

import click

from trickle.cli.options import project_options, selection_options
from trickle.cli.session import Session


@click.command()
@selection_options
@project_options
@click.pass_obj
def ls(session: Session) -> None:
    """List the selected stream tables in dependency order."""
    for name in session.project().names(select=session.select, exclude=session.exclude):
        click.echo(name)
