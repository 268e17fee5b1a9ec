"""Columns that a condition makes equal, and conditions that only look as if they did."""

from __future__ import annotations

import pytest
from sqlglot import exp, parse_one

from trickle.differentiate.keys import equal_columns
from trickle.model.schema import Column

LEFT = [Column("x", "int"), Column("y", "int"), Column("u", ""), Column("b", "bigint")]
RIGHT = [Column("p", "int"), Column("q", "int"), Column("v", "")]


def pairs(*conditions: str) -> list[tuple[str, str]]:
    return equal_columns([parse_one(c, read="spark") for c in conditions], LEFT, RIGHT)


@pytest.mark.parametrize("condition", ["x = p", "p = x", "x <=> p", "p <=> x"])
def test_equal_columns_are_paired_left_first(condition: str) -> None:
    assert pairs(condition) == [("x", "p")]


def test_every_conjunct_gives_its_pair() -> None:
    assert pairs("x = p", "y > q", "q = y") == [("x", "p"), ("y", "q")]


@pytest.mark.parametrize(
    ("condition", "why"),
    [
        ("x < p", "not an equation"),
        ("x = 1", "not a column"),
        ("1 = x", "not a column"),
        ("x = p + 1", "not a column"),
        ("x + 1 = p", "not a column"),
        ("x = y", "both on the left"),
        ("p = q", "both on the right"),
        ("b = p", "of two types"),
        ("u = v", "of no certain type"),
    ],
)
def test_what_pairs_nothing(condition: str, why: str) -> None:
    assert pairs(condition) == [], why


def test_a_literal_named_like_a_column_is_no_column() -> None:
    assert equal_columns([exp.EQ(this=exp.column("x"), expression=exp.Literal.string("p"))], LEFT, RIGHT) == []
    assert equal_columns([exp.EQ(this=exp.Literal.string("x"), expression=exp.column("p"))], LEFT, RIGHT) == []
