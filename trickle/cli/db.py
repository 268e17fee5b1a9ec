"""`trickle db`: the project's PostgreSQL, by hand."""

from __future__ import annotations

from typing import TextIO

import click

from trickle.cli.options import project_options
from trickle.cli.redact import redact
from trickle.cli.session import DatabasePort, Session


@click.group()
@click.option("--connection", metavar="NAME", help="Connection of the target, where it has several.")
@project_options
@click.pass_context
def db(context: click.Context, connection: str | None) -> None:
    """The project's PostgreSQL: where it is, start, stop, run SQL."""
    context.meta["connection"] = connection


def _database() -> DatabasePort:
    context = click.get_current_context()
    session: Session = context.obj
    return session.project().database(context.meta["connection"])


@db.command()
@project_options
def url() -> None:
    """Print the database's URL, without a password."""
    click.echo(redact(_database().url()))


@db.command()
@project_options
def start() -> None:
    """Start the embedded server."""
    database = _database()
    database.start()
    click.echo(f"running at {redact(database.url())}")


@db.command()
@project_options
def stop() -> None:
    """Stop the embedded server; its data stays."""
    _database().stop()
    click.echo("stopped")


@db.command("exec")
@click.argument("sql", required=False)
@click.option("-f", "--file", type=click.File(encoding="utf-8"), help="Read statements from a file, - for stdin.")
@project_options
def execute(sql: str | None, file: TextIO | None) -> None:
    """Run SQL in one transaction and print the rows of its last statement."""
    if (sql is None) == (file is None):
        raise click.UsageError("give either SQL or -f FILE")
    found = _database().execute(sql if file is None else file.read())  # type: ignore[arg-type]  # one is given
    if found is None:
        click.echo("done")
        return
    from trickle.cli.render import print_rows

    columns, rows = found
    print_rows(columns, rows)
    click.secho(f"\n{len(rows):,} row{'' if len(rows) == 1 else 's'}", dim=True)
