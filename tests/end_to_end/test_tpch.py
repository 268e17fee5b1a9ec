"""TPC-H's 22 queries stay equal to themselves from scratch, in Spark and in PostgreSQL, through rounds of changes."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import psycopg2
import pyarrow as pa
import pytest
import yaml
from jinja2 import Template

from benchmarks.tpch_data import PROJECT, QUERIES, SMALLEST, Round, change, generate, load
from tests.end_to_end.workbench import SPARK_CONF, multiset
from trickle import Project
from trickle.model.report import TableRun, Verification

# the first test pays for all refreshes of all tables
pytestmark = [pytest.mark.spark, pytest.mark.postgres, pytest.mark.timeout(1800)]

ROUNDS = (Round(31, 0.03, nations=2), Round(32, 0.03, nations=2), Round(33, 0.03, nations=2))

Rows = Counter[tuple[object, ...]]


@dataclass(frozen=True)
class Refreshed:
    """One table after one round."""

    run: TableRun
    found: Rows
    in_postgres: Rows


@dataclass(frozen=True)
class Story:
    """The tables after their first refresh and after each round of changes; at the end also Spark's own verdict."""

    rounds: list[dict[str, Refreshed]]
    verdicts: dict[str, Verification]


def small_project(root: Path, dsn: str) -> Project:
    """The example on a database of the test's, with Spark set for few rows."""
    shutil.copytree(PROJECT, root)
    settings = yaml.safe_load((root / "trickle.yml").read_text())
    target = {"connections": {"tpch": {"dsn": dsn}}, "spark": {"master": "local[2]", "conf": SPARK_CONF}}
    (root / "trickle.yml").write_text(yaml.safe_dump({**settings, "targets": {"dev": target}}))
    return Project.load(root)


def in_postgres(dsn: str, name: str, like: pa.Schema) -> Rows:
    """A query's rows in PostgreSQL, which divides to more digits than Spark: rounded to the digits Spark has."""
    text = Template((PROJECT / "tables" / f"{name}.sql").read_text()).render(
        config=lambda **_: "", source=lambda _, table: table
    )
    connection = psycopg2.connect(dsn)
    try:
        with connection.cursor() as cursor:
            cursor.execute(text)
            return multiset(_rounded(cursor.fetchall(), like))
    finally:
        connection.close()


def _rounded(rows: Iterable[tuple[object, ...]], like: pa.Schema) -> Iterable[tuple[object, ...]]:
    digits = [Decimal(1).scaleb(-type_.scale) if pa.types.is_decimal(type_) else None for type_ in like.types]
    for row in rows:
        yield tuple(
            value.quantize(digit, ROUND_HALF_UP) if digit is not None and isinstance(value, Decimal) else value
            for value, digit in zip(row, digits, strict=True)
        )


def refreshed(project: Project, dsn: str) -> dict[str, Refreshed]:
    """Run, and look at every table from all sides."""
    runs = {run.name: run for run in project.run().tables}
    seen = {}
    for name in QUERIES:
        table = project.table(name)
        found = multiset(zip(*(column.to_pylist() for column in table.columns), strict=True))
        seen[name] = Refreshed(runs[name], found, in_postgres(dsn, name, table.schema))
    return seen


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory, new_database: Callable[[], str]) -> Story:
    """All queries at once, over the same rows and changes."""
    folder, dsn = tmp_path_factory.mktemp("tpch"), new_database()
    generate(SMALLEST, folder / "rows")
    load(dsn, folder / "rows")
    project = small_project(folder / "project", dsn)
    rounds = [refreshed(project, dsn)]
    for changes in ROUNDS:
        change(dsn, changes)
        rounds.append(refreshed(project, dsn))
    return Story(rounds, {verdict.name.rpartition(".")[2]: verdict for verdict in project.verify()})


@pytest.mark.parametrize("query", QUERIES)
def test_changes_reach_the_result(story: Story, query: str) -> None:
    assert len({frozenset(after[query].in_postgres.items()) for after in story.rounds}) > 2


@pytest.mark.parametrize("query", QUERIES)
def test_no_round_recomputes_the_table(story: Story, query: str) -> None:
    runs = [after[query].run for after in story.rounds[1:]]
    assert [str(run.mode) for run in runs] == ["DIFFERENTIAL"] * len(ROUNDS), runs


@pytest.mark.parametrize("query", QUERIES)
def test_each_round_equals_the_query_in_postgresql(story: Story, query: str) -> None:
    for number, after in enumerate(story.rounds):
        assert after[query].found == after[query].in_postgres, number


@pytest.mark.parametrize("query", QUERIES)
def test_all_rounds_together_equal_a_run_from_scratch(story: Story, query: str) -> None:
    assert story.verdicts[query].equal, story.verdicts[query]
