"""old + delta = new for random queries over every construct, run by DuckDB.

Seeds are fixed, so that a failure is seen again; `make soak` draws new ones.
"""

from __future__ import annotations

import multiprocessing
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

import pytest

from tests.properties.grammar import CONSTRUCTS, Engine, random_query
from tests.properties.grammar.constructs import LEFT_OUT, ROUNDED
from tests.properties.schedule import Outcome, Verdict, random_schedule, run

QUERIES, BLOCK = 500, 20


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPoolExecutor]:
    """A process for each core: most of the time goes into writing and reading SQL."""
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as executor:
        yield executor


def verdict_of(seed: int) -> Verdict:
    return run(random_schedule(seed, Engine.DUCKDB))


@pytest.mark.parametrize("first", range(0, QUERIES, BLOCK))
def test_table_equals_its_query_after_every_change(pool: ProcessPoolExecutor, first: int) -> None:
    seeds = range(first, first + BLOCK)
    verdicts = dict(zip(seeds, pool.map(verdict_of, seeds), strict=True))
    failures = [f"seed {seed}: {verdict.described()}" for seed, verdict in verdicts.items() if verdict.failed]
    assert not failures, "\n\n".join(failures)
    assert sum(verdict.outcome is Outcome.EQUAL for verdict in verdicts.values()) > BLOCK * 0.8


def test_grammar_reaches_every_construct() -> None:
    found = Counter(c for seed in range(QUERIES) for c in random_query(seed, Engine.DUCKDB).constructs)
    assert not sorted(CONSTRUCTS - LEFT_OUT[Engine.DUCKDB] - found.keys())


def test_every_construct_has_an_engine() -> None:
    assert LEFT_OUT[Engine.DUCKDB] & LEFT_OUT[Engine.SPARK] == ROUNDED
