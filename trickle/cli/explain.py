"""`trickle explain`: how one table is refreshed."""

from __future__ import annotations

import click

from trickle.cli.options import project_options
from trickle.cli.session import Session


@click.command()
@click.argument("table")
@project_options
@click.pass_obj
def explain(session: Session, table: str) -> None:
    """Print TABLE's operators, their laws, and its delta SQL."""
    from rich.syntax import Syntax
    from rich.text import Text

    from trickle.cli.render import console

    found = session.project().explain(table)
    out = console()
    out.print(Text(found.name, "bold"), "", Text(found.tree), sep="\n")
    if found.refused:
        out.print("", Text.assemble(("refreshed FULL: ", "yellow"), found.refused), sep="\n")
    for title, sql in found.statements.items():
        out.print("", Text(f"-- {title}", "bold"), sep="\n")
        if out.is_terminal:
            out.print(Syntax(sql, "sql", theme="ansi_dark", background_color="default", word_wrap=True))
        else:
            click.echo(sql)
