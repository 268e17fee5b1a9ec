"""What each mode would read, counted in values of stored rows."""

from __future__ import annotations

from tests.differentiate.duck_database import TABLE, read_query
from trickle.differentiate.derive import differentiate
from trickle.model.names import Name, RelationName, ScanName
from trickle.model.schema import Column, TableSchema
from trickle.query.lower import lower
from trickle.refresh.cost import BOUNDED_SHARE, Cost, cost

A, B = RelationName("shop", "a"), RelationName("shop", "b")
SCHEMAS = {name: TableSchema((Column("x", "int"), Column("y", "int"))) for name in (A, B)}
ROWS: dict[ScanName, int] = {A: 1000, B: 10}


def cost_of(sql: str, *unchanged: Name) -> Cost:
    return cost(differentiate(lower(read_query(sql, SCHEMAS)), TABLE), ROWS, frozenset(unchanged))


def test_a_filter_reads_changes_alone() -> None:
    assert cost_of("select x from shop.a where y > 1") == Cost(full=2000, delta=0)


def test_a_join_reads_what_meets_the_changes_and_only_by_their_keys() -> None:
    joined = "select a.y from shop.a join shop.b on a.x = b.x"
    assert cost_of(joined, B) == Cost(full=2010, delta=BOUNDED_SHARE * 10)
    assert cost_of(joined, A) == Cost(full=2010, delta=BOUNDED_SHARE * 2000)


def test_a_full_refresh_begins_the_state_as_well() -> None:
    assert cost_of("select x, sum(y) as s from shop.a group by x") == Cost(full=4000, delta=0)


def test_an_order_of_all_rows_reads_them_before_and_after() -> None:
    assert cost_of("select x, rank() over (order by y) as r from shop.a").delta == 4000
