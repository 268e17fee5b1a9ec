"""`trickle init`: a new project loads, and its editor comments point at schemas."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from trickle.errors import ProjectError
from trickle.graph.build import build_graph
from trickle.graph.levels import levels
from trickle.project.loader import load_project
from trickle.project.scaffold import scaffold
from trickle.project.schema_check import schema

SHOP = Path(__file__).parents[2] / "examples" / "shop"


def test_a_new_project_loads_under_its_name(tmp_path: Path) -> None:
    written = scaffold("my-shop", tmp_path / "my-shop")
    files = load_project(tmp_path / "my-shop", None, {}, {})
    assert files.name == "my-shop"
    assert len(files.tables) >= 5
    assert Path(files.connections["shop"].seed).is_file()
    assert tmp_path / "my-shop" / ".gitignore" in written
    assert all(path.is_file() for path in written)


@pytest.mark.parametrize("example", ["shop", "scaffold"])
def test_schema_comments_lead_to_schemas(tmp_path: Path, example: str) -> None:
    root = SHOP if example == "shop" else tmp_path / "new"
    if example == "scaffold":
        scaffold("new", root)
    files = [*root.glob("*.yml"), *root.glob("sources/*.yml"), *root.glob("tables/**/*.yml")]
    assert len(files) == 3
    for file in files:
        comment = re.match(r"# yaml-language-server: \$schema=(\S+)\n", file.read_text(encoding="utf-8"))
        assert comment
        assert (file.parent / comment[1]).resolve().is_file()


def test_an_existing_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(ProjectError, match="not empty"):
        scaffold("new", tmp_path)
    with pytest.raises(ProjectError, match="is a file"):
        scaffold("new", tmp_path / "mine.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_an_empty_folder_is_used(tmp_path: Path) -> None:
    scaffold("new", tmp_path)
    assert (tmp_path / "trickle.yml").is_file()


@pytest.mark.parametrize("name", ["", "1shop", "a/b", "a b", "..", "x: y"])
def test_an_impossible_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ProjectError, match="cannot name a project"):
        scaffold(name, tmp_path / "new")


def test_the_shop_has_levels() -> None:
    files = load_project(SHOP, None, {}, {})
    first, second, *_ = levels(build_graph(files.sources, files.tables))
    assert {str(name) for name in first} == {"activity", "order_lines"}
    assert len(second) >= 3


def test_the_shop_has_documented_columns_for_every_source() -> None:
    assert all(source.columns for source in load_project(SHOP, None, {}, {}).sources)


@pytest.mark.parametrize("name", ["trickle", "sources", "tables"])
def test_schemas_are_schemas(name: str) -> None:
    Draft202012Validator.check_schema(schema(name))


def test_the_contract_of_the_design_passes_the_schema() -> None:
    written = """
name: shop
dialect: spark
lake: ./lake
target: dev
targets:
  dev:
    connections: {shop: {embedded: true}}
    spark: {master: "local[*]"}
  prod:
    connections: {shop: {dsn: "{{ env_var('SHOP_DSN') }}"}}
    spark: {master: "spark://host", conf: {}}
defaults: {refresh_mode: auto, cdc_mode: auto, schedule: 1m}
"""
    assert not list(Draft202012Validator(schema("trickle")).iter_errors(yaml.safe_load(written)))
