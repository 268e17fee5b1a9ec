"""Random queries over random changes: stream table = Spark from scratch = PostgreSQL, after every cycle.

An example is a project of several random queries, so every one of them is a schedule of its own.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import psycopg2
import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from tests.end_to_end.random_sql import TABLES, Query, batches, projects
from tests.end_to_end.workbench import Workbench

pytestmark = [pytest.mark.spark, pytest.mark.postgres]

QUERIES = 10
CYCLES = 3
EXAMPLES = int(os.environ.get("TRICKLE_SCHEDULES", "200")) // QUERIES


@pytest.mark.timeout(0)
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)
@given(
    dialect=st.sampled_from(["spark", "postgres"]),
    queries=projects(QUERIES),
    cycles=st.lists(batches(), min_size=CYCLES + 1, max_size=CYCLES + 1),
)
def test_random_schedules(
    new_database: Callable[[], str], dialect: str, queries: dict[str, Query], cycles: list[list[str]]
) -> None:
    dsn = new_database()
    with tempfile.TemporaryDirectory(prefix="trickle-random-") as folder:
        tables = {name: query.sql for name, query in queries.items()}
        bench = Workbench(Path(folder), dsn, sorted(TABLES), tables, dialect)
        bench.execute(*TABLES.values())
        for turn, batch in enumerate(cycles):
            for statement in batch:
                note(statement)
                attempt(bench, statement)
            bench.run()
            check(bench, queries, spark=turn == CYCLES)


def attempt(bench: Workbench, statement: str) -> None:
    """Run a statement that may break a key: then it changes nothing."""
    try:
        bench.execute(statement)
    except (psycopg2.errors.UniqueViolation, psycopg2.errors.NotNullViolation, psycopg2.errors.CardinalityViolation):
        note("refused by the database")


def check(bench: Workbench, queries: dict[str, Query], *, spark: bool) -> None:
    """Compare with PostgreSQL, and with Spark what PostgreSQL computes otherwise; at the end everything with Spark."""
    for name, query in queries.items():
        if query.postgres:
            assert bench.rows(name) == bench.postgres(query.sql), query.sql
    select = [name for name, query in queries.items() if spark or not query.postgres]
    for verdict in bench.project.verify(select=select) if select else ():
        assert verdict.equal, (queries[verdict.name].sql, verdict)
