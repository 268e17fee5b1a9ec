"""`trickle verify`: prove that tables equal their queries."""

from __future__ import annotations

import click

from trickle.cli.options import json_option, project_options, selection_options
from trickle.cli.session import Session


@click.command()
@selection_options
@click.option("--source", is_flag=True, help="Compare with PostgreSQL itself, inside the cut's snapshot.")
@click.option("--limit", type=click.IntRange(min=0), default=20, show_default=True, help="Differing rows to print.")
@json_option
@project_options
@click.pass_obj
def verify(session: Session, source: bool, limit: int, as_json: bool) -> None:
    """Prove that tables equal their queries.

    Each table is recomputed at its own epoch, and the rows are compared as multisets.

    Exits with 1 when a table differs.
    """
    found = session.project().verify(select=session.select, exclude=session.exclude, source=source, limit=limit)
    if as_json:
        from trickle.cli.documents import verify_document
        from trickle.cli.render import print_json

        print_json(verify_document(found))
    else:
        from trickle.cli.reports import print_verifications

        print_verifications(found)
    if not all(one.equal for one in found):
        raise click.exceptions.Exit(1)
