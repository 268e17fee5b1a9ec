"""A small project that tests change one file of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from trickle.errors import ProjectError
from trickle.project.files import ProjectFiles
from trickle.project.loader import load_project

SETTINGS = """\
name: shop
targets:
  dev:
    connections:
      shop: {embedded: true}
"""
SOURCES = """\
sources:
  - name: shop
    tables: [orders, customers]
"""
QUERY = "select id from {{ source('shop', 'orders') }}\n"


class SmallProject:
    """A project of two sources and one table, `good`, with files added or replaced."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.write({"trickle.yml": SETTINGS, "sources/shop.yml": SOURCES, "tables/good.sql": QUERY})

    def write(self, files: Mapping[str, str]) -> None:
        for path, text in files.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text, encoding="utf-8")

    def load(
        self,
        files: Mapping[str, str] | None = None,
        target: str | None = None,
        environ: Mapping[str, str] | None = None,
        **variables: object,
    ) -> ProjectFiles:
        self.write(files or {})
        return load_project(self.root, target, variables, environ or {})

    def error(self, files: Mapping[str, str], **variables: object) -> ProjectError:
        with pytest.raises(ProjectError) as caught:
            self.load(files, **variables)
        return caught.value
