"""`trickle init`: write a project that works."""

from __future__ import annotations

import click

from trickle.cli.options import project_options
from trickle.cli.session import Session


@click.command()
@click.argument("name")
@project_options
@click.pass_obj
def init(session: Session, name: str) -> None:
    """Write a working shop project into a new directory NAME.

    It has its own PostgreSQL with seed data and a few stream tables; change it into yours.
    """
    directory = session.directory / name
    for path in session.create(name, directory):
        click.echo(f"  {path}")
    click.echo(f"created {directory}; next: cd {directory} && trickle plan && trickle run")
