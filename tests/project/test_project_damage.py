"""However a project's files are damaged, loading ends with values or with a ProjectError that names a place."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trickle.errors import ProjectError
from trickle.project.loader import load_project

SHOP = Path(__file__).parents[2] / "examples" / "shop"
FILES = [
    "trickle.yml",
    "sources/shop.yml",
    "tables/order_lines.sql",
    "tables/reports/_reports.yml",
    "macros/orders.sql",
]
SCRAPS = st.sampled_from(
    ["{{", "}}", "{%", "%}", "{#", "'", '"', ":", "- ", "\n", "\t", "[", "]", "{", "}", "&a", "*a", "<<: ", "!", "~",
     "null", "1", "true", "\u00e9", "\x00", "|", ">", "?", "#", ",", "ref('x')", "config(", "{{ var('x') }}", ""]
)  # fmt: skip


@pytest.fixture(scope="module")
def copy() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(shutil.copytree(SHOP, Path(folder) / "shop", ignore=shutil.ignore_patterns("lake", ".trickle")))


@given(st.sampled_from(FILES), st.integers(0, 2000), st.integers(0, 12), st.lists(SCRAPS, max_size=3).map("".join))
def test_damage_never_escapes_as_another_error(copy: Path, name: str, start: int, length: int, scrap: str) -> None:
    whole = (SHOP / name).read_text(encoding="utf-8")
    start %= len(whole)
    (copy / name).write_text(whole[:start] + scrap + whole[start + length :], encoding="utf-8")
    try:
        load_project(copy, None, {}, {})
    except ProjectError as error:
        told = error
        assert told.message
        assert told.location
    finally:
        (copy / name).write_text(whole, encoding="utf-8")
