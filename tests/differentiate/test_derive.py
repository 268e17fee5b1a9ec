"""A whole plan: what its result is made of, and how it explains itself."""

from __future__ import annotations

from duck_database import DuckDatabase, read_query

from trickle.differentiate.explain import explain
from trickle.model.names import RelationName
from trickle.model.schema import Column, TableSchema
from trickle.query.emit import emit
from trickle.query.operators import Version

A = RelationName("shop", "a")
SCHEMAS = {A: TableSchema((Column("x", "int"), Column("y", "int")))}


def database_of(sql: str) -> DuckDatabase:
    return DuckDatabase(read_query(sql, SCHEMAS))


def test_the_whole_result_is_made_of_rows_that_are_there() -> None:
    database = database_of("select x from shop.a")
    weight = database.plan.weight
    written = [((1, 1), 1), ((1, 2), 1), ((2, 1), 1), ((2, 1), -1)]
    database.evaluate(database.plan.result, {(A, Version.NEW): written})
    rows = database._execute(emit(database.plan.result, weight))
    assert rows == [(1, 2)]


def test_explanation_names_strategy_law_and_state() -> None:
    text = explain(database_of("select x, count(*) as n from shop.a where y > 1 group by x").plan)
    assert "accumulator: Δγ(R)" in text
    assert "linear: Δσ(R) = σ(ΔR)" in text
    assert "state aggregate_1 (k0 int, n bigint)" in text
