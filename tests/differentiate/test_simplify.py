"""Relations without changes leave nothing behind in a plan."""

from __future__ import annotations

import pytest
from duck_database import TABLE, read_query
from sqlglot import exp

from trickle.differentiate.derive import DeltaPlan, differentiate
from trickle.differentiate.simplify import prune, prune_plan
from trickle.model.names import LoopName, RelationName
from trickle.model.schema import Column, TableSchema
from trickle.query.lower import lower
from trickle.query.operators import (
    Aggregate,
    AntiJoin,
    Empty,
    InnerJoin,
    Negate,
    OuterJoin,
    Project,
    Recursive,
    Scan,
    SemiJoin,
    UnionAll,
    Version,
    column,
)
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


def stored(name: RelationName, prefix: str, version: Version = Version.NEW) -> Scan:
    return Scan(name, ("x", "y"), tuple(Column(f"{prefix}.{c.name}", c.type) for c in SCHEMAS[name].columns), version)


def test_what_is_added_and_taken_away_cancels_in_either_order() -> None:
    rows = stored(A, "a")
    assert isinstance(prune(UnionAll((rows, Negate(rows))), frozenset()), Empty)
    assert isinstance(prune(UnionAll((Negate(rows), rows)), frozenset()), Empty)


@pytest.mark.parametrize("times", [2, 3])
def test_what_is_added_twice_stays_twice(times: int) -> None:
    union = UnionAll((stored(A, "a"),) * times)
    assert prune(union, frozenset()) == union


def test_an_outer_join_with_nothing_keeps_its_left_rows_with_nulls() -> None:
    join = OuterJoin(stored(A, "a"), stored(B, "b", Version.DELTA), ())
    kept = prune(join, frozenset({B}))
    assert isinstance(kept, Project)
    assert [c.name for c in kept.columns] == ["a.x", "a.y", "b.x", "b.y"]
    assert [e.sql("spark") for _, e in kept.bindings[2:]] == ["CAST(NULL AS INT)"] * 2


def test_an_anti_join_with_nothing_keeps_its_left_rows() -> None:
    join = AntiJoin(stored(A, "a"), stored(B, "b", Version.DELTA), ())
    assert prune(join, frozenset({B})) == stored(A, "a")


def test_a_semi_join_with_nothing_is_nothing() -> None:
    join = SemiJoin(stored(A, "a"), stored(B, "b", Version.DELTA), ())
    assert isinstance(prune(join, frozenset({B})), Empty)


def test_an_outer_join_of_nothing_is_nothing() -> None:
    join = OuterJoin(stored(A, "a", Version.DELTA), stored(B, "b"), ())
    pruned = prune(join, frozenset({A}))
    assert isinstance(pruned, Empty)
    assert pruned.columns == join.columns


def test_groups_of_nothing_are_nothing() -> None:
    changes = stored(A, "a", Version.DELTA)
    counted = ((Column("n", "bigint"), exp.Count(this=exp.Star())),)
    grouped = Aggregate(changes, ((Column("k", "int"), column("a.x")),), counted)
    pruned = prune(grouped, frozenset({A}))
    assert isinstance(pruned, Empty)
    assert pruned.columns == grouped.columns


def test_a_recursion_from_nothing_is_nothing() -> None:
    loop = LoopName(TABLE, "loop")
    base = stored(A, "a", Version.DELTA)
    step = Scan(loop, ("a.x", "a.y"), base.columns, Version.NEW)
    assert isinstance(prune(Recursive(base, step, loop, once=True), frozenset({A})), Empty)
    begun = Recursive(stored(B, "a"), step, loop, once=True)
    assert prune(begun, frozenset({A})) == begun
