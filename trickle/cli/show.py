"""`trickle show`: look at a result, without a JVM."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from trickle.cli.options import json_option, project_options
from trickle.cli.session import Session

if TYPE_CHECKING:
    import pyarrow as pa

DEFAULT_LIMIT = 20


@click.command()
@click.argument("table")
@click.option("--limit", type=click.IntRange(min=0), help="Rows to show.  [default: 20, all with --json and --csv]")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@json_option
@project_options
@click.pass_obj
def show(session: Session, table: str, limit: int | None, as_csv: bool, as_json: bool) -> None:
    """Print the rows of TABLE, sorted by its columns."""
    from trickle.cli import render
    from trickle.cli.values import in_order

    if as_csv and as_json:
        raise click.UsageError("choose one of --csv and --json")
    found = in_order(session.project().table(table))
    if as_json:
        render.print_json_rows(found.slice(0, limit))
    elif as_csv:
        render.print_csv(found.slice(0, limit))
    else:
        _show(found, DEFAULT_LIMIT if limit is None else limit)


def _show(found: pa.Table, limit: int) -> None:
    from trickle.cli.render import print_rows
    from trickle.cli.values import rows

    print_rows(found.schema.names, rows(found.slice(0, limit)))
    shown = min(limit, found.num_rows)
    of = f"{shown:,} of {found.num_rows:,}" if shown < found.num_rows else f"{shown:,}"
    click.secho(f"\n{of} row{'' if found.num_rows == 1 else 's'}", dim=True)
