"""Spark's own functions: each is in one list, depends on what the list says, and is read as it was written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
import sqlglot
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from sqlglot import exp
from sqlglot.errors import ParseError
from sqlglot.optimizer.qualify import qualify
from typed_expressions import COLUMNS

from tests.spark_session import spark_session
from trickle.model.schema import Column
from trickle.query import builtins
from trickle.query.dialect import SparkText, explicit
from trickle.query.function_types import RULES
from trickle.query.result_types import RESULTS
from trickle.query.types import infer

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
def spark() -> SparkSession:
    return spark_session({"spark.sql.shuffle.partitions": "1"})


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


def known_type(sql: str, columns: Sequence[Column] = ()) -> str:
    """What we say the first column's type is."""
    try:
        query = sqlglot.parse_one(sql, dialect=SparkText)
    except ParseError:
        return ""
    assert isinstance(query, exp.Query)
    return infer(explicit(query).selects[0].unalias(), columns)


def same_meaning(spark: SparkSession, sql: str, plan: Any) -> bool:
    """Whether Spark makes the same plan of what is written for a query, or else the same rows and types."""
    read = written(sql)
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


def _accepted(spark: SparkSession) -> Iterator[tuple[str, str, Any]]:
    """Each function, one of its examples that Spark accepts, and Spark's plan of it."""
    seen: set[str] = set()
    for name, text in sorted(_functions(spark)):
        for sql in _examples(text) if name in READ else ():
            try:
                plan = _analysed(spark, sql)
            except PySparkException:
                continue
            if sql not in seen:
                yield name, sql, plan
            seen.add(sql)


def test_examples_of_spark_keep_their_meaning_and_type(spark: SparkSession) -> None:
    changed, chance, mistyped, count = [], [], [], 0
    for name, sql, plan in _accepted(spark):
        count += 1
        changed += [] if same_meaning(spark, sql, plan) else [sql]
        chance += [sql] if name in builtins.DETERMINISTIC and not plan.deterministic() else []
        mistyped += [] if known_type(sql) in ("", plan.schema().head().dataType().simpleString()) else [sql]
    assert (changed, chance, mistyped) == ([], [], [])
    assert count > 1000


def _calls(name: str) -> Iterator[str]:
    """Calls of a function over every column, alone, twice, and with an integer."""
    over = " over (order by i)" if name in builtins.WINDOW else ""
    for c in ("k", "b", "f", "g", "d", "t", "o", "y", "m", "x", "ai", "mp"):
        for arguments in dict.fromkeys([c, f"{c}, i", f"{c}, {c}"]):
            yield f"select {name}({arguments}){over} as z from typed"


def _type_of(spark: SparkSession, sql: str) -> str:
    """The type Spark gives the one column of a query, or nothing when it does not accept it."""
    state = spark._jsparkSession.sessionState()
    try:
        plan = state.analyzer().execute(state.sqlParser().parsePlan(sql))
        return str(plan.schema().head().dataType().simpleString()) if plan.resolved() else ""
    except (PySparkException, Py4JJavaError):
        return ""


def test_known_types_are_those_spark_gives(spark: SparkSession) -> None:
    typed = ", ".join(f"cast(null as {c.type}) as {c.name}" for c in COLUMNS)
    spark.sql(f"select {typed}").createOrReplaceTempView("typed")
    wrong, known = [], 0
    for name in sorted((set(RESULTS) | set(RULES)) - {"div", "extract", "exists"}):
        for sql in _calls(name):
            found = _type_of(spark, sql)
            mine = known_type(sql, COLUMNS) if found else ""
            known += bool(mine)
            wrong += [(sql, found, mine)] if mine not in ("", found) else []
    assert wrong == []
    assert known > 2500
