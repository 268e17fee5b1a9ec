"""The `trickle` command: its commands, its exit codes, and what becomes of an error.

0    done
1    something failed while running, or differs
2    the project or the command line is wrong
3    another run holds the lock
130  interrupted
"""

from __future__ import annotations

import io
import sys
from types import TracebackType
from typing import Any

import click

from trickle.cli.compile import compile as compile_command
from trickle.cli.db import db
from trickle.cli.doctor import doctor
from trickle.cli.drop import drop
from trickle.cli.explain import explain
from trickle.cli.failure import report, report_unexpected
from trickle.cli.history import history
from trickle.cli.init import init
from trickle.cli.ls import ls
from trickle.cli.options import project_options, session_of
from trickle.cli.plan import plan
from trickle.cli.run import run
from trickle.cli.show import show
from trickle.cli.status import status
from trickle.cli.verify import verify
from trickle.errors import TrickleError

INTERRUPTED = 130

COMMANDS = (init, doctor, plan, run, show, explain, status, history, verify, ls, compile_command, drop, db)
"""In the order in which a user meets them."""


class _Commands(click.Group):
    """A group that lists its commands in their own order and turns errors into exit codes."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except TrickleError as error:
            report(error, session_of(ctx).directory)
            ctx.exit(error.exit_code)
        except (KeyboardInterrupt, click.Abort):
            click.echo(err=True)
            ctx.exit(INTERRUPTED)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@project_options
@click.version_option(package_name="trickle", message="%(prog)s %(version)s")
def cli() -> None:
    """Stream tables over PostgreSQL: declared in SQL, kept exact, refreshed by what changed."""


for _command in COMMANDS:
    cli.add_command(_command)


def _unexpected(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:  # noqa: ARG001  the hook's signature
    report_unexpected(error)


def main() -> None:
    """Run the command line; an exception nobody expected is reported as a bug and exits with 1."""
    sys.excepthook = _unexpected
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a locale that lacks a letter must not end a run
    cli(prog_name="trickle")
