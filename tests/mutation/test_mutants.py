"""Every wrong delta rule is noticed: the mutants of all rules and passes, as `make mutants` prints them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from mutate import PACKAGE, law_modules
from mutations import mutants

from trickle.differentiate.derive import RULES

ROOT = Path(__file__).parents[2]


@pytest.mark.timeout(1800)
def test_no_mutant_survives() -> None:
    script = [sys.executable, str(ROOT / "tests/mutation/mutate.py")]
    done = subprocess.run(script, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


@pytest.mark.parametrize("rule", sorted({type(rule).__module__ for rule in RULES}))
def test_every_rule_has_mutants(rule: str) -> None:
    assert mutants(rule, law_modules()[rule].read_text("utf-8"))


def test_a_mutant_is_one_edit_that_still_compiles() -> None:
    source = "def delta(of, node):\n    return UnionAll((of.delta(node), Negate(of.old(node))))\n"
    found = mutants("rule", source)
    assert {"swap old and new", "drop a term", "lose a sign", "state for change"} == {m.kind for m in found}
    assert len({m.source for m in found} | {source}) == len(found) + 1
    for mutant in found:
        compile(mutant.source, "rule", "exec")


def test_laws_are_looked_for_in_the_whole_package() -> None:
    assert PACKAGE.is_dir()
    assert "trickle.differentiate.keyed" in law_modules()
