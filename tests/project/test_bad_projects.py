"""Every folder of `tests/bad_projects` is refused with the text of its `expected.txt`, and stays as it was."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from trickle.cli.main import cli
from trickle.errors import NotDifferentiableError, ProjectError
from trickle.graph.build import build_graph
from trickle.model.names import RelationName
from trickle.model.schema import TableSchema
from trickle.project.loader import load_project
from trickle.query.lower import lower
from trickle.query.parse import parse
from trickle.query.qualify import qualify

BAD_PROJECTS = sorted(path for path in (Path(__file__).parents[1] / "bad_projects").iterdir() if path.is_dir())


def contents(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*")):
        yield str(path.relative_to(folder)), hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def check(folder: Path) -> None:
    """Everything that can be checked without a database."""
    files = load_project(folder, None, {}, {})
    graph = build_graph(files.sources, files.tables)
    schemas: dict[RelationName, TableSchema] = {source.name: TableSchema(source.columns) for source in files.sources}
    for table in graph.tables:
        query = qualify(parse(table), schemas, table)
        with suppress(NotDifferentiableError):
            lower(query)
        schemas[table.name] = TableSchema(query.columns)


@pytest.mark.parametrize("folder", BAD_PROJECTS, ids=lambda folder: folder.name)
def test_bad_project_is_refused_with_its_message(folder: Path) -> None:
    before = list(contents(folder))
    with pytest.raises(ProjectError) as caught:
        check(folder)
    assert caught.value.exit_code == 2
    for line in (folder / "expected.txt").read_text(encoding="utf-8").splitlines():
        assert line in str(caught.value)
    assert "hunter2" not in str(caught.value)
    assert list(contents(folder)) == before


def test_there_are_enough_bad_projects() -> None:
    assert len(BAD_PROJECTS) >= 30


@pytest.mark.parametrize("folder", BAD_PROJECTS, ids=lambda folder: folder.name)
def test_the_command_line_says_the_same_and_exits_with_2(folder: Path) -> None:
    before = list(contents(folder))
    result = CliRunner().invoke(cli, ["plan", "--offline", "--project-dir", str(folder)])
    assert result.exit_code == 2, result.output
    for line in (folder / "expected.txt").read_text(encoding="utf-8").splitlines():
        assert line in result.output
    assert "hunter2" not in result.output
    assert list(contents(folder)) == before
