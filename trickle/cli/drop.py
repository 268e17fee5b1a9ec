"""`trickle drop`: remove what trickle made."""

from __future__ import annotations

import click

from trickle.cli.options import project_options
from trickle.cli.session import Session


@click.command()
@click.argument("table", required=False)
@click.option("--all", "everything", is_flag=True, help="Drop everything: triggers, schema, buffers, the whole lake.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@project_options
@click.pass_obj
def drop(session: Session, table: str | None, everything: bool, yes: bool) -> None:
    """Remove TABLE, or with --all everything trickle made.

    Everything is the lake, and the triggers, functions, buffers and schema in PostgreSQL.
    """
    if everything == (table is not None):
        raise click.UsageError("name one TABLE, or give --all")
    project = session.project()
    what = "everything trickle made for this project" if everything else f'"{table}"'
    if not yes and not click.confirm(f"drop {what}?"):
        raise click.exceptions.Exit(1)
    for line in project.drop(table):
        click.echo(line)
