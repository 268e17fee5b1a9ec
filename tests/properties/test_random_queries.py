"""old + delta = new for random queries over every construct, run by DuckDB.

Seeds are fixed, so that a failure is seen again; `make soak` draws new ones.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.properties.grammar import CONSTRUCTS, Engine, random_query
from tests.properties.grammar.constructs import LEFT_OUT
from tests.properties.schedule import REFUSED, Outcome, random_schedule, run

QUERIES, BLOCK = 600, 20


@pytest.mark.parametrize("first", range(0, QUERIES, BLOCK))
def test_table_equals_its_query_after_every_change(first: int) -> None:
    verdicts = {seed: run(random_schedule(seed, Engine.DUCKDB)) for seed in range(first, first + BLOCK)}
    failures = [f"seed {seed}: {verdict.described()}" for seed, verdict in verdicts.items() if verdict.failed]
    assert not failures, "\n\n".join(failures)
    assert any(verdict.outcome is Outcome.EQUAL for verdict in verdicts.values())


def test_grammar_reaches_every_construct() -> None:
    found = Counter(c for seed in range(QUERIES) for c in random_query(seed, Engine.DUCKDB).constructs)
    rare = sorted(c for c in CONSTRUCTS - LEFT_OUT[Engine.DUCKDB] if found[c] < 3)
    assert not rare


def test_every_construct_has_an_engine() -> None:
    assert not LEFT_OUT[Engine.DUCKDB] & LEFT_OUT[Engine.SPARK]


def test_few_constructs_may_be_refused() -> None:
    assert len(REFUSED) <= 3
