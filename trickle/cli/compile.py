"""`trickle compile`: write the SQL that would run."""

from __future__ import annotations

import click

from trickle.cli.options import project_options
from trickle.cli.session import Session


@click.command()
@project_options
@click.pass_obj
def compile(session: Session) -> None:  # noqa: A001  the command's name
    """Write each table's query and delta SQL to target/."""
    written = session.project().compile()
    for path in written:
        click.echo(path)
