"""Relations without changes leave nothing behind in a plan."""

from __future__ import annotations

import pytest
from duck_database import TABLE, read_query
from sqlglot import exp

from trickle.differentiate.derive import DeltaPlan, differentiate
from trickle.differentiate.simplify import prune, prune_plan
from trickle.model.names import RelationName
from trickle.model.schema import Column, TableSchema
from trickle.query.lower import lower
from trickle.query.operators import Aggregate, Empty, InnerJoin, Scan, Version
from trickle.query.tree import scans, walk

A, B = RelationName("shop", "a"), RelationName("shop", "b")
SCHEMAS = {name: TableSchema((Column("x", "int"), Column("y", "int"))) for name in (A, B)}


def plan_of(sql: str) -> DeltaPlan:
    return differentiate(lower(read_query(sql, SCHEMAS)), TABLE)


@pytest.mark.parametrize(
    "sql",
    [
        "select a.x from shop.a join shop.b on a.x = b.x",
        "select x, count(*) as n from shop.a group by x having count(*) > 1",
        "select count(*) as n from shop.a",
        "select max(x) as m from shop.a join shop.b using (x)",
        "select distinct x from shop.a union select x from shop.b",
        "select n, count(*) as c from (select x, sum(y) as n from shop.a group by x) s group by n",
    ],
)
def test_without_changes_nothing_is_left(sql: str) -> None:
    plan = prune_plan(plan_of(sql), frozenset({A, B}))
    assert isinstance(plan.delta, Empty)
    assert all(isinstance(update.delta, Empty) for update in plan.states)


def test_join_terms_of_unchanged_inputs_vanish() -> None:
    plan = prune_plan(plan_of("select a.x from shop.a join shop.b on a.x = b.x"), frozenset({B}))
    assert len([node for node in walk(plan.delta) if isinstance(node, InnerJoin)]) == 1
    assert scans(plan.delta) == {(A, Version.DELTA), (B, Version.NEW)}


def test_unchanged_state_counts_as_unchanged_input() -> None:
    sql = "select s.n, b.y from (select x, count(*) as n from shop.a group by x) s join shop.b on s.x = b.x"
    plan = prune_plan(plan_of(sql), frozenset({A}))
    (update,) = plan.states
    assert isinstance(update.delta, Empty)
    assert scans(plan.delta) == {(update.state.name, Version.NEW), (B, Version.DELTA)}


def test_a_join_has_as_many_terms_as_inputs() -> None:
    tables = ", ".join(f"shop.a t{i}" for i in range(6))
    plan = plan_of(f"select t0.x from {tables} where {' and '.join(f't0.x = t{i}.x' for i in range(1, 6))}")
    assert len([node for node in walk(plan.delta) if isinstance(node, InnerJoin)]) == 6


def test_a_global_aggregate_of_no_changes_is_still_a_row() -> None:
    columns = SCHEMAS[A].columns
    counted = ((Column("n", "bigint"), exp.Count(this=exp.Star())),)
    changes = Scan(A, ("x", "y"), columns, Version.DELTA)
    pruned = prune(Aggregate(changes, (), counted), frozenset({A}))
    assert isinstance(pruned, Aggregate)
    assert isinstance(pruned.input, Empty)
