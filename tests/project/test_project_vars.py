"""`--vars`."""

from __future__ import annotations

from contextlib import suppress

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from trickle.errors import ProjectError
from trickle.project.variables import parse_vars

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
VALUES = st.one_of(st.integers(), st.booleans(), st.text(), st.lists(st.integers(), max_size=3))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{a: 1}", {"a": 1}),
        ("a=1", {"a": 1}),
        ("a='1'", {"a": "1"}),
        ("a=x=y", {"a": "x=y"}),
        ("a=", {"a": None}),
        ("a: 1", {"a": 1}),
        ('{"a": [1, 2]}', {"a": [1, 2]}),
        ("", {}),
    ],
)
def test_both_forms_are_read(text: str, expected: dict[str, object]) -> None:
    assert parse_vars(text) == expected


@pytest.mark.parametrize("text", ["[1]", "word", "{1: 2}", "{a: ", "a={", "{a: 2024-99-99}"])
def test_anything_else_is_a_wrong_command(text: str) -> None:
    with pytest.raises(ProjectError, match="--vars"):
        parse_vars(text)


@given(st.dictionaries(NAMES, VALUES, min_size=1))
def test_a_mapping_written_as_yaml_comes_back(values: dict[str, object]) -> None:
    assert parse_vars(yaml.safe_dump(values)) == values


@given(st.text())
def test_no_text_breaks_the_parser(text: str) -> None:
    with suppress(ProjectError):
        assert isinstance(parse_vars(text), dict)
