"""Options that several commands share.

`--project-dir`, `--target` and `--vars` may stand before or after the command's name; each occurrence refines the
session, so the one nearest to the command wins.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from trickle.cli.session import Session

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def session_of(context: click.Context) -> Session:
    """The session of a command line, a fresh one at its start."""
    return context.obj if isinstance(context.obj, Session) else Session()


def _refine(context: click.Context, session: Session) -> None:
    """Hand the session to this command and to the groups above it, which report its errors."""
    level: click.Context | None = context
    while level is not None:
        level.obj = session
        level = level.parent


def _directory(context: click.Context, _option: click.Parameter, value: Path | None) -> None:
    session = session_of(context)
    _refine(context, replace(session, directory=value) if value is not None else session)


def _target(context: click.Context, _option: click.Parameter, value: str | None) -> None:
    session = session_of(context)
    _refine(context, replace(session, target=value) if value is not None else session)


def _variables(context: click.Context, _option: click.Parameter, values: tuple[str, ...]) -> None:
    from trickle.project.variables import parse_vars

    session = session_of(context)
    given = dict(session.variables)
    for value in values:
        given.update(parse_vars(value))
    _refine(context, replace(session, variables=given))


def _select(context: click.Context, _option: click.Parameter, values: tuple[str, ...]) -> None:
    _refine(context, replace(session_of(context), select=_words(values)))


def _exclude(context: click.Context, _option: click.Parameter, values: tuple[str, ...]) -> None:
    _refine(context, replace(session_of(context), exclude=_words(values)))


def _words(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for value in values for word in value.split())


def project_options(command: Decorated) -> Decorated:
    """Add the three options that every command takes."""
    for option in (
        click.option(
            "--vars",
            multiple=True,
            expose_value=False,
            callback=_variables,
            metavar="YAML",
            help="Variables for {{ var(...) }}, as a YAML or JSON mapping.",
        ),
        click.option(
            "--target", expose_value=False, callback=_target, metavar="NAME", help="Target of trickle.yml to use."
        ),
        click.option(
            "--project-dir",
            type=click.Path(path_type=Path, file_okay=False),
            expose_value=False,
            callback=_directory,
            help="Directory of the project.  [default: .]",
        ),
    ):
        command = option(command)
    return command


def selection_options(command: Decorated) -> Decorated:
    """Add `--select` and `--exclude`, which name tables by the graph's selectors."""
    for flag, keep, verb in (("--exclude", _exclude, "Leave out"), ("--select", _select, "Take only")):
        option = click.option(
            flag,
            multiple=True,
            expose_value=False,
            callback=keep,
            metavar="SELECTOR",
            help=f"{verb} these tables: NAME, +NAME, NAME+, tag:X, path:X, source:X.",
        )
        command = option(command)
    return command


def json_option(command: Decorated) -> Decorated:
    """Add `--json`: nothing but JSON on stdout."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)
