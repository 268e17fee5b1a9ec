"""Every rule's golden file: the plan as text, and its SQL executed. `UPDATE_GOLDEN=1` writes what the code gives."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from golden import Case, plan_text, read_case, read_cases, run, sections, written

RULES = Path(__file__).parents[1] / "rules"
FILES = sorted(RULES.glob("*.golden"))
if os.environ.get("UPDATE_GOLDEN"):
    for _path in FILES:
        _parts = ["\n".join(section) for section in sections(_path.read_text(encoding="utf-8"))]
        _new = [written(read_case(part.split("\n")), part) for part in _parts]
        _path.write_text("\n".join(_new), encoding="utf-8")

CASES = [(path.stem, case) for path in FILES for case in read_cases(path.read_text(encoding="utf-8"))]
PLANNED = [(stem, case) for stem, case in CASES if not case.plan.startswith("refused")]


@pytest.mark.parametrize(("stem", "case"), CASES, ids=[f"{stem}: {case.sentence[:60]}" for stem, case in CASES])
def test_golden_plan(stem: str, case: Case) -> None:
    assert plan_text(case) == case.plan


@pytest.mark.parametrize("folds", [False, True], ids=["as written", "folded"])
@pytest.mark.parametrize(("stem", "case"), PLANNED, ids=[f"{stem}: {case.sentence[:60]}" for stem, case in PLANNED])
def test_golden_rows(stem: str, case: Case, folds: bool) -> None:
    for interval, delta in run(case, folds):
        assert delta == interval.expected
