"""Spark's own functions: each is in one list, depends on what the list says, and is read as it was written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import sqlglot
from pyspark.sql import SparkSession
from sqlglot import exp
from sqlglot.optimizer.qualify import qualify

from trickle.engine.session import start
from trickle.query import builtins
from trickle.query.dialect import SparkText, explicit

pytestmark = pytest.mark.spark

LISTS = {
    "deterministic": builtins.DETERMINISTIC,
    "clock": builtins.CLOCK,
    "refused": builtins.REFUSED,
    "aggregate": builtins.AGGREGATES,
    "grouping": builtins.GROUPING,
    "window": builtins.WINDOW,
    "generator": builtins.GENERATORS,
    "table function": builtins.TABLE_FUNCTIONS,
}
READ = builtins.DETERMINISTIC | builtins.AGGREGATES | builtins.WINDOW
SYNTAX = frozenset({"case", "timestampadd", "timestampdiff", "try_cast"})
UNREADABLE = re.compile(r"X '|>>>|VALUES '|(?i:\btime ?')")
"""Examples that sqlglot cannot read or reads loudly wrong: spaces in binary literals, bare VALUES, TIME literals."""


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    session = start("local[1]", {"spark.sql.shuffle.partitions": "1"})
    yield session
    session.stop()


def _functions(spark: SparkSession) -> Iterator[tuple[str, str]]:
    """Each built-in function and its examples."""
    state = spark._jsparkSession.sessionState()
    for registry in (state.functionRegistry(), state.tableFunctionRegistry()):
        names = registry.listFunction().iterator()
        while names.hasNext():
            identifier = names.next()
            info = registry.lookupFunction(identifier).get()
            yield identifier.funcName(), info.getExamples()


def _analysed(spark: SparkSession, sql: str) -> Any:
    return spark._jsparkSession.sql(sql).queryExecution().analyzed()


def _rows(spark: SparkSession, sql: str) -> tuple[list[str], list[tuple[str, ...]]]:
    frame = spark.sql(sql)
    return [f.dataType.simpleString() for f in frame.schema], [tuple(map(str, row)) for row in frame.collect()]


def written(sql: str) -> str:
    """What Spark gets to read of a query."""
    query = sqlglot.parse_one(sql, dialect=SparkText)
    assert isinstance(query, exp.Query)
    qualified = qualify(explicit(query), dialect="spark", validate_qualify_columns=False, identify=True)
    return qualified.sql("spark", comments=False)


def same_meaning(spark: SparkSession, sql: str) -> bool:
    """Whether Spark makes the same plan of a query and of what is written for it, or else the same rows and types."""
    plan, read = _analysed(spark, sql), written(sql)
    return plan.sameResult(_analysed(spark, read)) or _rows(spark, sql) == _rows(spark, read)


def test_every_function_of_spark_is_in_one_list(spark: SparkSession) -> None:
    known = {name for name, _ in _functions(spark) if name.isidentifier()}
    where = {name: [kind for kind, names in LISTS.items() if name in names] for name in known}
    assert {name: kinds for name, kinds in where.items() if len(kinds) != 1} == {}
    assert set().union(*LISTS.values()) - known - SYNTAX == set()


def _examples(text: str) -> Iterator[str]:
    for match in re.finditer(r"^\s*> (SELECT.*?);\s*$", text, re.DOTALL | re.MULTILINE):
        if not UNREADABLE.search(match[1]):
            yield match[1]


def test_examples_of_spark_keep_their_meaning(spark: SparkSession) -> None:
    examples = {sql: None for name, text in sorted(_functions(spark)) if name in READ for sql in _examples(text)}
    changed = [sql for sql in examples if not same_meaning(spark, sql)]
    assert changed == []
    assert len(examples) > 900


def test_deterministic_functions_are_so_to_spark(spark: SparkSession) -> None:
    for name, text in _functions(spark):
        plans = [_analysed(spark, sql) for sql in _examples(text)] if name in builtins.DETERMINISTIC else []
        assert all(plan.deterministic() for plan in plans), name
