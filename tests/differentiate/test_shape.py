"""The shape of the rules: complete, each with a law, a golden file and an entry in the generated algebra."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from trickle.differentiate.algebra import algebra
from trickle.differentiate.derive import RULES, UNDIFFERENTIATED
from trickle.differentiate.rule import Rule, law
from trickle.query import operators

ROOT = Path(__file__).parents[2]


def test_every_operator_has_a_rule_or_a_stated_refusal() -> None:
    covered = {rule.operator for rule in RULES} | set(UNDIFFERENTIATED)
    assert covered == set(get_args(operators.Relation))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: type(rule).__name__)
def test_every_rule_states_its_law(rule: Rule[operators.Relation]) -> None:
    assert "Δ" in law(rule)


def test_every_rule_is_one_file_with_one_golden_file() -> None:
    modules = {path.stem for path in (ROOT / "trickle/differentiate/rules").glob("[a-z]*.py")}
    golden = {path.stem for path in (ROOT / "tests/rules").glob("*.golden")}
    assert modules == golden == {type(rule).__module__.rpartition(".")[2] for rule in RULES}


def test_the_last_rule_of_an_operator_takes_every_node() -> None:
    general = {rule.operator: rule for rule in RULES}
    assert all(type(rule).applies is Rule.applies for rule in general.values())


def test_the_algebra_is_current() -> None:
    assert (ROOT / "docs/algebra.md").read_text(encoding="utf-8") == algebra()
