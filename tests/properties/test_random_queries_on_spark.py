"""old + delta = new for random queries over every construct, run by Spark against the canonical query from scratch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from tests.differentiate.spark_database import SMALL, in_session
from tests.properties.grammar import CONSTRUCTS, Engine, random_query
from tests.properties.grammar.constructs import LEFT_OUT
from tests.properties.schedule import random_schedule, run
from trickle.engine.session import start

pytestmark = pytest.mark.spark

QUERIES, BLOCK = 100, 10


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    session = start("local[2]", SMALL)
    yield session
    session.stop()


@pytest.mark.parametrize("first", range(0, QUERIES, BLOCK))
def test_table_equals_its_query_after_every_change(spark: SparkSession, first: int) -> None:
    new_database = in_session(spark)
    verdicts = {seed: run(random_schedule(seed, Engine.SPARK), new_database) for seed in range(first, first + BLOCK)}
    failures = [f"seed {seed}: {verdict.described()}" for seed, verdict in verdicts.items() if verdict.failed]
    assert not failures, "\n\n".join(failures)


def test_what_duckdb_leaves_out_is_reached() -> None:
    found = Counter(c for seed in range(QUERIES) for c in random_query(seed, Engine.SPARK).constructs)
    assert not [c for c in LEFT_OUT[Engine.DUCKDB] & CONSTRUCTS if not found[c]]
