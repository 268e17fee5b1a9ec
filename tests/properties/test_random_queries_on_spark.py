"""old + delta = new for random queries over every construct, run by Spark against the canonical query from scratch."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count, islice

import pytest

from tests.differentiate.spark_database import SMALL, in_session
from tests.properties.grammar import Engine, random_query
from tests.properties.grammar.constructs import LEFT_OUT
from tests.properties.schedule import Verdict, random_schedule, run
from tests.spark_session import spark_session

pytestmark = pytest.mark.spark

QUERIES, BLOCK = 100, 20


Submit = Callable[[int], Future[Verdict]]


@pytest.fixture(scope="module")
def submit() -> Iterator[Submit]:
    """Runs schedules side by side, each thread in a session of its own: small statements leave the cores idle."""
    spark_session(SMALL)
    own = threading.local()

    def begin() -> None:
        own.new_database = in_session(spark_session(SMALL))

    def verdict_of(seed: int) -> Verdict:
        return run(random_schedule(seed, Engine.SPARK), own.new_database)

    with ThreadPoolExecutor(4, initializer=begin) as executor:
        yield lambda seed: executor.submit(verdict_of, seed)


def check(submit: Submit, seeds: Iterable[int]) -> None:
    verdicts = {seed: submit(seed) for seed in seeds}
    found = {seed: verdict.result() for seed, verdict in verdicts.items()}
    failures = [f"seed {seed}: {verdict.described()}" for seed, verdict in found.items() if verdict.failed]
    assert not failures, "\n\n".join(failures)


@pytest.mark.parametrize("first", range(0, QUERIES, BLOCK))
def test_table_equals_its_query_after_every_change(submit: Submit, first: int) -> None:
    check(submit, range(first, first + BLOCK))


@pytest.mark.parametrize("construct", sorted(LEFT_OUT[Engine.DUCKDB]))
def test_so_it_does_for_what_duckdb_leaves_out(submit: Submit, construct: str) -> None:
    having = (seed for seed in count(QUERIES) if construct in random_query(seed, Engine.SPARK).constructs)
    check(submit, islice(having, 4))
