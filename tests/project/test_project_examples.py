"""The examples read without database or JVM: complete projects whose every table is refreshed by deltas."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from trickle import Project
from trickle.model.report import ChosenMode

EXAMPLES = Path(__file__).parents[2] / "examples"
PROJECTS = ("auctions", "retail")


@pytest.mark.parametrize("name", PROJECTS)
def test_every_table_of_an_example_has_a_delta_plan(name: str, tmp_path: Path) -> None:
    root = shutil.copytree(
        EXAMPLES / name, tmp_path / name, ignore=shutil.ignore_patterns("lake", ".trickle", "target")
    )
    report = Project.load(root).plan(offline=True)
    assert len(report.tables) >= 12
    assert {plan.declared_mode for plan in report.tables} == {"differential"}
    assert {plan.name: plan.reason for plan in report.tables if plan.mode is not ChosenMode.FULL} == {}


@pytest.mark.parametrize("name", PROJECTS)
def test_an_example_says_what_each_table_is_for(name: str) -> None:
    files = list((EXAMPLES / name).glob("tables/**/*.sql"))
    assert [file.name for file in files if not file.read_text(encoding="utf-8").startswith("-- ")] == []
    assert (EXAMPLES / name / "README.md").is_file()


@pytest.mark.parametrize("name", PROJECTS)
def test_schema_comments_of_an_example_lead_to_schemas(name: str) -> None:
    for file in [*(EXAMPLES / name).glob("*.yml"), *(EXAMPLES / name).glob("sources/*.yml")]:
        comment = re.match(r"# yaml-language-server: \$schema=(\S+)\n", file.read_text(encoding="utf-8"))
        assert comment
        assert (file.parent / comment[1]).resolve().is_file()
