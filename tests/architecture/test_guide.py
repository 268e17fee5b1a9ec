"""The guide knows every command, option, setting and reason, so that it cannot fall behind in silence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from trickle.cli.main import cli
from trickle.refresh.decide import ReasonCode

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")


def _options() -> Iterator[tuple[str, str]]:
    for name, command in cli.commands.items():
        for param in command.params:
            if isinstance(param, click.Option):
                yield name, param.opts[-1]


@pytest.mark.parametrize("name", cli.commands)
def test_every_command_is_in_the_guide(name):
    assert f"`{name}" in GUIDE


@pytest.mark.parametrize(("command", "option"), list(_options()))
def test_every_option_is_in_the_guide(command, option):
    assert option in GUIDE


@pytest.mark.parametrize("code", ReasonCode)
def test_every_reason_is_in_the_guide(code):
    assert f"`{code}`" in GUIDE


@pytest.mark.parametrize("schema", sorted((ROOT / "schemas").glob("*.json")), ids=lambda path: path.name)
def test_every_setting_is_in_the_guide(schema):
    names = set(_properties(json.loads(schema.read_text(encoding="utf-8"))))
    assert sorted(name for name in names if name not in GUIDE) == []


def _properties(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for value in schema.values():
            yield from _properties(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _properties(value)
