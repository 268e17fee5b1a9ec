"""Types that Spark gives, each compared with Spark itself in the slow tier; what is not certain is unknown."""

from __future__ import annotations

import pytest
import sqlglot
from typed_expressions import COLUMNS, EXPRESSIONS

from trickle.query.types import infer

UNCERTAIN = ["i + f", "coalesce(t, i)", "my_function(i)", "-t", "abs(t)", "greatest(t, y)", "t + 1", "array(i)"]


@pytest.mark.parametrize(("sql", "expected"), EXPRESSIONS)
def test_type_is_the_one_spark_gives(sql: str, expected: str) -> None:
    assert infer(sqlglot.parse_one(sql, dialect="spark"), COLUMNS) == expected


@pytest.mark.parametrize("sql", UNCERTAIN)
def test_uncertain_type_is_unknown(sql: str) -> None:
    assert infer(sqlglot.parse_one(sql, dialect="spark"), COLUMNS) == ""
