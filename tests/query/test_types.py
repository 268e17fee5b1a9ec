"""Types that Spark gives, each compared with Spark itself in the slow tier; what is not certain is unknown."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp
from typed_expressions import COLUMNS, EXPRESSIONS

from trickle.query.dialect import SparkText, explicit
from trickle.query.types import infer

UNCERTAIN = [
    "coalesce(t, i)", "my_function(i)", "-t", "abs(t)", "greatest(t, y)", "t + 1", "array(t, i)", "elt(1, t, x)",
    "lpad(x, 3, t)", "y + interval '1 day 2 hours'", "extract(month from m - m)", "concat(t, x)", "sum(t)",
    "percentile(i, array(0.5))", "(select 1)", "transform(ai, v -> v)", "cast(t as string collate utf8_lcase)",
    "array_append(ai, d)", "round(d, i)", "unknown_column + 1",
]  # fmt: skip


def expression(sql: str) -> exp.Expr:
    query = sqlglot.parse_one(f"select {sql} as x", dialect=SparkText)
    assert isinstance(query, exp.Query)
    return explicit(query).selects[0].this


@pytest.mark.parametrize(("sql", "expected"), EXPRESSIONS)
def test_type_is_the_one_spark_gives(sql: str, expected: str) -> None:
    assert infer(expression(sql), COLUMNS) == expected


@pytest.mark.parametrize("sql", UNCERTAIN)
def test_uncertain_type_is_unknown(sql: str) -> None:
    assert infer(expression(sql), COLUMNS) == ""
