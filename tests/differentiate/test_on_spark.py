"""The emitted SQL is Spark's SQL: values, types and names agree with queries that Spark runs from scratch."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

import pytest
import sqlglot
from duck_database import Row, read_query
from pyspark.sql import SparkSession
from spark_database import SparkDatabase
from sqlglot import exp
from typed_expressions import COLUMNS, EXPRESSIONS

from tests.spark_session import spark_session
from trickle.model.names import RelationName
from trickle.model.schema import Column, TableSchema
from trickle.query.dialect import SparkText, explicit

pytestmark = pytest.mark.spark

ODD = RelationName("my.shop", "Weird `Table")
SCHEMAS = {
    ODD: TableSchema(
        (
            Column("__w", "int"),
            Column("select", "string"),
            Column("Größe.x", "decimal(38,4)"),
            Column("a`b", "double"),
            Column("price", "decimal(10,0)"),
        )
    )
}
FIRST: Row = (1, "it's", Decimal("1.5000"), 0.5, Decimal(1))
SECOND: Row = (2, None, Decimal("9999999999999999999999999999999999.0001"), None, Decimal(0))
THIRD: Row = (None, "it's", None, -2.0, None)
INTERVALS = [
    [(FIRST, -1), (THIRD, 1), (SECOND, 1), (SECOND, -1)],
    [(THIRD, 1), ((3, "b", Decimal(0), 1.0, Decimal(7)), 1)],
    [(FIRST, -1), (SECOND, -1), (THIRD, -2), ((3, "b", Decimal(0), 1.0, Decimal(7)), -1)],
]


@pytest.fixture(scope="module")
def spark() -> SparkSession:
    return spark_session({"spark.sql.shuffle.partitions": "1"})


@pytest.mark.parametrize(
    "sql",
    [
        "select `select`, sum(`größe.x`) as `S u.m`, avg(`__w`) as w, count(*) as n from {t} group by 1",
        "select min(`a``b`) as low, max(`select`) as top, sum(`a``b`) as s from {t}",
        "select count(`__w`) as c, sum(price) as s, avg(price) as a from {t}",
        "select * from {t} where `__w` > 0",
        "select distinct `a``b`, `select` from {t}",
        "select x.`__w`, y.`select` || ' */ it''s' as text from {t} x join {t} y on x.`select` = y.`select`",
        "select price from {t} union select `__w` from {t}",
        "select n, count(*) as c from (select `select`, count(*) as n from {t} group by 1) s group by n having n > 0",
    ],
)
def test_refreshed_table_equals_its_query(spark: SparkSession, sql: str) -> None:
    database = SparkDatabase(read_query(sql.format(t="`my.shop`.`weird ``table`"), SCHEMAS))
    database.session = spark
    database.rows[ODD] = Counter([FIRST, FIRST, SECOND])
    database.baseline()
    assert database.result == database.from_scratch(database.rows)
    for changes in INTERVALS:
        database.refresh({ODD: list(changes)})
        database.check_columns(database.plan.delta.columns)
        assert database.result == database.from_scratch(database.rows)
        database.check_columns(database.query.columns)


@pytest.mark.parametrize("type_", ["decimal(12,2)", "decimal(10,0)", "decimal(5,5)", "decimal(24,12)", "decimal(18,1)"])
def test_mean_of_decimals_is_the_one_spark_gives(spark: SparkSession, type_: str) -> None:
    name = RelationName("shop", "t")
    database = SparkDatabase(
        read_query(
            "select g, avg(x) as a from shop.t group by g",
            {name: TableSchema((Column("g", "int"), Column("x", type_)))},
        )
    )
    database.session = spark
    scale = int(type_[8:-1].split(",")[1])
    values = [Decimal(n).scaleb(-scale) for n in (1, 0, 0, -99999, 7, 12345, 49999, 50001)]
    rows = [(g, value) for g in range(1, 8) for value in values[:g]] + [(9, None)]
    database.rows[name] = Counter(rows)
    database.baseline()
    assert database.result == database.from_scratch(database.rows)
    native = spark.sql("select g, avg(x) as a from `shop.t` group by g")
    assert database.result == Counter(tuple(row) for row in native.collect())
    assert native.schema["a"].dataType.simpleString() == database.query.columns[1].type


def test_types_are_those_spark_gives(spark: SparkSession) -> None:
    typed = ", ".join(f"cast(null as {c.type}) as {c.name}" for c in COLUMNS)
    spark.sql(f"select {typed}").createOrReplaceTempView("typed")
    for expression, expected in EXPRESSIONS:
        query = sqlglot.parse_one(f"select {expression} as x from typed", dialect=SparkText)
        assert isinstance(query, exp.Query)
        found = spark.sql(f"select {expression} as x from typed").schema[0].dataType.simpleString()
        written = spark.sql(explicit(query).sql("spark")).schema[0].dataType.simpleString()
        assert (expression, found, written) == (expression, expected, expected)
