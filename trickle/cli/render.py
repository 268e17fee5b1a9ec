"""Writes results to stdout: tables for people, JSON and CSV for programs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from trickle.cli.redact import redact
from trickle.cli.values import json_value, rows, text

if TYPE_CHECKING:
    import pyarrow as pa

UNBOUNDED = 10_000
"""Columns of a console that is no terminal: lines are as long as their content, so that grep finds things."""

READABLE = 6
"""Columns narrower than this are no longer read across; rows are then shown as records."""

FOLDED = 72
"""The widest a column of sentences gets."""

Row = Sequence[str | Text]

MODE_STYLES = {"DIFFERENTIAL": "green", "FULL": "yellow", "NO_DATA": "dim"}
STATUS_STYLES = {"ok": "green", "error": "bold red", "skipped": "yellow", "running": "cyan"}


def console() -> Console:
    """The stdout of this moment, without markup: text of the user's project is never interpreted."""
    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else UNBOUNDED
    return Console(markup=False, emoji=False, highlight=False, width=width)


def grid(headers: Sequence[str], rows: Sequence[Row], numbers: Sequence[str] = (), fold: str = "") -> Table:
    """A table in the house style; columns in `numbers` align right, the one named `fold` gives way or stays away."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    shown = [i for i, header in enumerate(headers) if header != fold or any(str(row[i]) for row in rows)]
    for i in shown:
        right = headers[i] in numbers
        widest = FOLDED if headers[i] == fold else None
        table.add_column(
            headers[i], justify="right" if right else "left", overflow="fold", no_wrap=right, max_width=widest
        )
    for row in rows:
        table.add_row(*(row[i] for i in shown))
    return table


def mode_text(mode: str | None) -> Text:
    """A refresh mode in its colour."""
    return Text(mode, MODE_STYLES.get(mode, "")) if mode else Text("fails", STATUS_STYLES["error"])


def status_text(status: str) -> Text:
    """A status in its colour."""
    return Text(status, STATUS_STYLES.get(status, ""))


def safe(value: str) -> str:
    """Text of a user's data on one line, its control characters spelled out."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in value)


def cell(value: object) -> Text:
    """One value of a result."""
    return Text("NULL", "dim") if value is None else Text(safe(text(value)))


def print_rows(columns: Sequence[str], found: Iterable[Sequence[object]]) -> None:
    """Print rows as a table, or as records when the columns would not be readable side by side."""
    out = console()
    values = [tuple(row) for row in found]
    numbers = [name for i, name in enumerate(columns) if _numeric(row[i] for row in values)]
    if len(columns) * (READABLE + 2) > out.width:
        _print_records(out, columns, values)
        return
    cells = [[cell(value) for value in row] for row in values]
    out.print(grid([safe(name) for name in columns], cells, numbers=[safe(name) for name in numbers]))


def _numeric(values: Iterable[object]) -> bool:
    from decimal import Decimal

    present = [value for value in values if value is not None]
    return bool(present) and all(isinstance(v, int | float | Decimal) and not isinstance(v, bool) for v in present)


def _print_records(out: Console, columns: Sequence[str], values: Sequence[Sequence[object]]) -> None:
    for number, row in enumerate(values, 1):
        record = Table(box=None, show_header=False, pad_edge=False)
        record.add_column(style="bold")
        record.add_column(overflow="fold")
        for name, value in zip(columns, row, strict=True):
            record.add_row(safe(name), cell(value))
        out.print(Text(f"row {number}", "dim"), record, sep="\n")


def print_json(value: object) -> None:
    """Print one JSON document, in ASCII: it reads the same under every locale."""
    click.echo(json.dumps(json_value(value), indent=2))


def print_json_rows(table: pa.Table) -> None:
    """Print an array of row objects, a row a line, without holding them all."""
    names = table.schema.names
    click.echo("[", nl=False)
    for number, row in enumerate(rows(table)):
        line = json.dumps(json_value(dict(zip(names, row, strict=True))))
        click.echo(("," if number else "") + "\n  " + line, nl=False)
    click.echo("\n]" if table.num_rows else "]")


def print_csv(table: pa.Table) -> None:
    """Print RFC 4180 CSV in which NULL is empty and an empty string is `\"\"`."""
    click.echo(",".join(_csv_cell(name) for name in table.schema.names))
    for row in rows(table):
        click.echo(",".join(_csv_cell(value) for value in row))


def _csv_cell(value: object) -> str:
    if value is None:
        return ""
    written = text(value)
    quoted = not written or any(char in written for char in ',"\r\n')
    return '"' + written.replace('"', '""') + '"' if quoted else written


def print_failure(name: str, error: str) -> None:
    """Print why one relation failed, below the table that lists it."""
    console().print(Text.assemble((f"{name}: ", "bold red"), redact(error)))
