"""Runs the command line over the fake project."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from cli_project import FakeProject
from click.testing import CliRunner, Result

from trickle.cli.main import cli
from trickle.cli.session import Session


@pytest.fixture
def project() -> FakeProject:
    return FakeProject()


@pytest.fixture
def invoke(project: FakeProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run a command in an empty directory; keyword arguments are the environment."""
    monkeypatch.chdir(tmp_path)

    def run(*args: str, stdin: str | None = None, **env: str) -> Result:
        session = Session(load=project.load, create=lambda name, directory: (directory / f"{name}.yml",))
        return CliRunner(env={"COLUMNS": None, **env}).invoke(cli, args, obj=session, input=stdin)

    return run
