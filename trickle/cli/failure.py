"""Errors as a user reads them: what, where with the offending line, more, and what to do."""

from __future__ import annotations

import os
import textwrap
import traceback
from pathlib import Path

import click

from trickle.cli.redact import MASK, redact
from trickle.errors import Location, TrickleError


def report(error: TrickleError, directory: Path) -> None:
    """Print one of our own errors to stderr."""
    lines = [click.style("error: ", fg="red", bold=True) + redact(error.message)]
    if error.location:
        lines.append(click.style("  at ", dim=True) + redact(str(error.location)))
        lines += _excerpt(error.location, error.snippet, directory)
    elif error.snippet:
        lines += _indented(error.snippet)
    if error.detail:
        lines += _indented(error.detail)
    if error.hint:
        lines.append(click.style("hint: ", fg="cyan", bold=True) + redact(error.hint))
    click.echo("\n".join(lines), err=True)


def report_unexpected(error: BaseException) -> None:
    """Print a bug: short, or with its traceback when `TRICKLE_TRACEBACK` asks for it."""
    if os.environ.get("TRICKLE_TRACEBACK"):
        click.echo(redact("".join(traceback.format_exception(error))), err=True, nl=False)
        return
    said = (str(error).strip().splitlines() or [""])[0]
    about = f"{type(error).__name__}: {said}" if said else type(error).__name__
    click.echo(click.style("internal error: ", fg="red", bold=True) + redact(about), err=True)
    hint = "this is a bug in trickle; run again with TRICKLE_TRACEBACK=1 to see where, and report it"
    click.echo(click.style("hint: ", fg="cyan", bold=True) + hint, err=True)


def _indented(text: str) -> list[str]:
    return textwrap.indent(textwrap.dedent(redact(text)), "  ").splitlines()


def _excerpt(location: Location, snippet: str, directory: Path) -> list[str]:
    """The offending line with a caret below its column; the error's own snippet where that one hides a secret."""
    line = None if MASK in snippet else _line(location, directory)
    if line is None:
        return _indented(snippet)
    number = str(location.line)
    before = line[: location.column - 1]
    pad = "".join(char if char == "\t" else " " for char in before)
    bar = click.style("|", dim=True)
    caret = click.style("^", fg="red", bold=True)
    return [f"  {number} {bar} {redact(line)}", f"  {' ' * len(number)} {bar} {pad}{caret}"]


def _line(location: Location, directory: Path) -> str | None:
    for path in (directory / location.file, Path(location.file)):
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            continue
        if 0 < location.line <= len(lines):
            return lines[location.line - 1].rstrip()
    return None
