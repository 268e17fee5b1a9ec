"""`trickle doctor`: what is missing on this machine, and how to get it."""

from __future__ import annotations

import click

from trickle.cli.options import json_option, project_options
from trickle.cli.session import Session


@click.command()
@json_option
@project_options
@click.pass_obj
def doctor(session: Session, as_json: bool) -> None:
    """Check that this machine has what a run needs.

    Java, packages, PostgreSQL and its rights, disk, Spark: each check that fails says how to mend it.
    """
    checks = session.project().doctor()
    if as_json:
        from trickle.cli.documents import doctor_document
        from trickle.cli.render import print_json

        print_json(doctor_document(checks))
    else:
        from trickle.cli.reports import print_checks

        print_checks(checks)
    if not all(check.ok for check in checks):
        raise click.exceptions.Exit(1)
