"""A call is an aggregate, a generator, a window function or a scalar, whatever class sqlglot gives it."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp

from trickle.query import builtins
from trickle.query.dialect import SparkText, explicit
from trickle.query.functions import empty_value, is_aggregate, is_generator, is_grouping, is_window_only, open_to_order


def call(sql: str) -> exp.Expr:
    query = sqlglot.parse_one(f"select {sql} as x", dialect=SparkText)
    assert isinstance(query, exp.Query)
    return explicit(query).selects[0].this


_CALLS = ["({})", "({}, {})", "({}, {}, {})", "()"]


def calls(name: str) -> list[exp.Expr]:
    """The ways of calling a function that sqlglot can read."""
    found = []
    for arguments in _CALLS:
        try:
            found.append(call(name + arguments.format("a", "b", "c")))
        except sqlglot.errors.ParseError:
            continue
    return found


@pytest.mark.parametrize("name", sorted(builtins.AGGREGATES))
def test_aggregate_is_known_in_every_way_it_is_called(name: str) -> None:
    assert calls(name)
    assert all(is_aggregate(node) for node in calls(name) if not isinstance(node, exp.Any))


@pytest.mark.parametrize("name", sorted(builtins.GENERATORS))
def test_generator_is_known_in_every_way_it_is_called(name: str) -> None:
    assert calls(name)
    assert all(is_generator(node) and not is_aggregate(node) for node in calls(name))


@pytest.mark.parametrize("name", sorted(builtins.WINDOW))
def test_window_function_is_no_aggregate(name: str) -> None:
    assert calls(name)
    assert all(is_window_only(node) and not is_aggregate(node) for node in calls(name))


def test_grouping_is_no_aggregate() -> None:
    assert is_grouping(call("grouping(a)"))
    assert is_grouping(call("grouping_id(a, b)"))
    assert not is_aggregate(call("grouping(a)"))


@pytest.mark.parametrize(
    "sql", ["a + 1", "coalesce(a, b)", "greatest(a, b)", "my_function(a)", "exists(a, x -> x > 1)"]
)
def test_scalar_is_no_aggregate(sql: str) -> None:
    assert not is_aggregate(call(sql))
    assert not is_generator(call(sql))
    assert not is_window_only(call(sql))


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("count(a)", "0"),
        ("count(*)", "0"),
        ("count_if(a > 1)", "0"),
        ("approx_count_distinct(a)", "0"),
        ("regr_count(a, b)", "0"),
        ("collect_list(a)", "ARRAY()"),
        ("array_agg(a)", "ARRAY()"),
        ("collect_set(a)", "ARRAY()"),
        ("sum(a)", "NULL"),
        ("max_by(a, b)", "NULL"),
        ("any(a)", "NULL"),
        ("listagg(a)", "NULL"),
    ],
)
def test_aggregate_over_no_rows(sql: str, expected: str) -> None:
    value = empty_value(call(sql))
    assert value is not None
    assert value.sql("spark") == expected


def test_sketch_of_nothing_has_no_literal() -> None:
    assert empty_value(call("hll_sketch_agg(a)")) is None


def test_tied_aggregates_are_open_to_order() -> None:
    assert open_to_order(call("mode(a)"))
    assert open_to_order(call("max_by(a, b)"))
    assert not open_to_order(call("sum(a)"))
