"""Writes small projects."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from small_project import SmallProject


@pytest.fixture
def project(tmp_path: Path) -> SmallProject:
    return SmallProject(tmp_path)


@pytest.fixture
def render(project: SmallProject) -> Callable[..., str]:
    """Render one table's SQL in the small project."""

    def rendered(sql: str, **variables: object) -> str:
        files = project.load({"tables/probe.sql": sql}, **variables)
        return next(table.sql for table in files.tables if table.name.table == "probe")

    return rendered
