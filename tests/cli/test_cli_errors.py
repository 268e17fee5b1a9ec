"""Exit codes, and how errors read."""

from __future__ import annotations

import os
import subprocess
import sys

import click
import pytest

from trickle.cli.redact import redact
from trickle.errors import Location, LockHeldError, ProjectError, RunError


def test_a_project_error_shows_place_line_caret_detail_and_hint(invoke, project, tmp_path):
    (tmp_path / "shop" / "tables").mkdir(parents=True)
    (tmp_path / "shop" / "tables" / "revenue.sql").write_text("select\n\tamout\nfrom x\n")
    project.error = ProjectError(
        'stream table "revenue": unknown column "amout"',
        location=Location("tables/revenue.sql", 2, 2),
        detail="columns are amount, id",
        hint='did you mean "amount"?',
    )
    result = invoke("plan", "--project-dir", "shop")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.splitlines() == [
        'error: stream table "revenue": unknown column "amout"',
        "  at tables/revenue.sql:2:2",
        "  2 | \tamout",
        "    | \t^",
        "  columns are amount, id",
        'hint: did you mean "amount"?',
    ]


def test_a_snippet_stands_in_for_a_file_that_cannot_be_read(invoke, project):
    project.error = ProjectError("bad", location=Location("gone.sql", 9, 1), snippet="select oops")
    assert "  select oops" in invoke("ls").stderr.splitlines()


def test_a_snippet_with_its_own_caret_is_kept(invoke, project):
    project.error = ProjectError("bad", location=Location("a.sql", 9, 1), snippet="  9 | oops\n    | ^")
    assert invoke("ls").stderr.splitlines()[2:] == ["  9 | oops", "    | ^"]


def test_a_snippet_that_hides_a_secret_stands_for_the_line(invoke, project, tmp_path):
    (tmp_path / "trickle.yml").write_text("dsn: dbname=x hunter2")
    project.error = ProjectError("bad", location=Location("trickle.yml"), snippet="  1 | dsn: ***\n    | ^")
    assert invoke("ls").stderr.splitlines()[2:] == ["  1 | dsn: ***", "    | ^"]


@pytest.mark.parametrize(
    ("error", "code"), [(RunError("spark broke"), 1), (ProjectError("wrong"), 2), (LockHeldError("held by ci"), 3)]
)
def test_each_error_has_its_exit_code(invoke, project, error, code):
    project.error = error
    result = invoke("run", "--json")
    assert result.exit_code == code
    assert result.stdout == ""
    assert f"error: {error.message}" in result.stderr


@pytest.mark.parametrize("error", [KeyboardInterrupt(), click.Abort()])
def test_an_interrupt_exits_quietly(invoke, project, error):
    project.error = error
    result = invoke("run")
    assert result.exit_code == 130
    assert result.output.strip() == ""


@pytest.mark.parametrize(
    "args",
    [
        ("nonsense",),
        ("show",),
        ("show", "revenue", "--csv", "--json"),
        ("plan", "--vars", "[1, 2]"),
        ("plan", "--vars", "{a: ["),
        ("drop",),
        ("drop", "revenue", "--all"),
        ("db", "exec"),
        ("db", "exec", "select 1", "-f", "missing.sql"),
        ("history", "--limit", "many"),
    ],
)
def test_a_wrong_command_line_exits_two(invoke, project, args):
    assert invoke(*args).exit_code == 2
    assert [name for name, _ in project.asked if name in ("drop", "execute")] == []


def test_an_unknown_table_exits_two(invoke):
    result = invoke("show", "revenu")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == 'hint: did you mean "revenue"?'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("postgresql://u:p@ss:w@host/db", "postgresql://u:***@host/db"),
        ("host=x password=abc dbname=y", "host=x password=*** dbname=y"),
        ("host=x password='a b' dbname=y", "host=x password=*** dbname=y"),
        ('  password: "abc"', "  password: ***"),
        ("{user: u, password: abc}", "{user: u, password: ***}"),
        ("password: {{ env_var('PW') }}", "password: {{ env_var('PW') }}"),
        ('unknown column "password": did you mean "pass"?', 'unknown column "password": did you mean "pass"?'),
        ("postgresql://localhost:5432/db", "postgresql://localhost:5432/db"),
    ],
)
def test_passwords_are_taken_out_of_text(text, expected):
    assert redact(text) == expected


CRASH = """
import sys
from trickle.cli import main
from trickle.cli.session import Session

def load(directory, **_):
    raise ValueError("cannot reach postgresql://u:hunter2@host/db")

main.cli.context_settings["obj"] = Session(load=load)
sys.argv = ["trickle", "ls"]
main.main()
"""


@pytest.mark.parametrize("wanted", ["", "1"])
def test_a_bug_is_short_unless_the_traceback_is_asked_for(wanted):
    env = os.environ | {"TRICKLE_TRACEBACK": wanted}
    found = subprocess.run([sys.executable, "-c", CRASH], env=env, capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert found.stdout == ""
    assert ("Traceback" in found.stderr) == bool(wanted)
    assert "hunter2" not in found.stderr
    if not wanted:
        assert found.stderr.startswith("internal error: ValueError: cannot reach")
        assert "TRICKLE_TRACEBACK=1" in found.stderr
