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

pytestmark = [pytest.mark.spark, pytest.mark.postgres]

ROUNDS = (Round(31, 0.03, nations=2), Round(32, 0.03, nations=2), Round(33, 0.03, nations=2))

Rows = Counter[tuple[object, ...]]


@dataclass(frozen=True)
class Refreshed:
    """One table after one round."""

    run: TableRun
    verdict: Verification
    found: Rows
    in_postgres: Rows


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
    verdicts = {verdict.name.rpartition(".")[2]: verdict for verdict in project.verify()}
    seen = {}
    for name in QUERIES:
        table = project.table(name)
        found = multiset(zip(*(column.to_pylist() for column in table.columns), strict=True))
        seen[name] = Refreshed(runs[name], verdicts[name], found, in_postgres(dsn, name, table.schema))
    return seen


@pytest.fixture(scope="module")
def rounds(tmp_path_factory: pytest.TempPathFactory, new_database: Callable[[], str]) -> list[dict[str, Refreshed]]:
    """The tables after their first refresh and after each round of changes."""
    folder, dsn = tmp_path_factory.mktemp("tpch"), new_database()
    generate(SMALLEST, folder / "rows")
    load(dsn, folder / "rows")
    project = small_project(folder / "project", dsn)
    seen = [refreshed(project, dsn)]
    for changes in ROUNDS:
        change(dsn, changes)
        seen.append(refreshed(project, dsn))
    return seen


@pytest.mark.parametrize("query", QUERIES)
def test_changes_reach_the_result(rounds: list[dict[str, Refreshed]], query: str) -> None:
    assert len({frozenset(after[query].in_postgres.items()) for after in rounds}) > 2


@pytest.mark.parametrize("query", QUERIES)
def test_no_round_recomputes_the_table(rounds: list[dict[str, Refreshed]], query: str) -> None:
    assert [str(after[query].run.mode) for after in rounds[1:]] == ["DIFFERENTIAL"] * len(ROUNDS), rounds[1][query].run


@pytest.mark.parametrize("query", QUERIES)
def test_each_round_equals_a_run_from_scratch(rounds: list[dict[str, Refreshed]], query: str) -> None:
    assert [after[query].verdict for after in rounds if not after[query].verdict.equal] == []


@pytest.mark.parametrize("query", QUERIES)
def test_each_round_equals_postgresql(rounds: list[dict[str, Refreshed]], query: str) -> None:
    for number, after in enumerate(rounds):
        assert after[query].found == after[query].in_postgres, number
