"""The order of steps that makes a crash harmless."""

from __future__ import annotations

from dataclasses import replace

from trickle.errors import Location
from trickle.model.names import Name, RelationName
from trickle.model.schema import Column, TableSchema
from trickle.model.stream_table import RefreshMode, StreamTable
from trickle.query.operators import Version
from trickle.refresh.compiled import CompiledTable, compile_table
from trickle.refresh.steps import CommitNoChange, DropState, Fold, differential_steps, full_steps

ORDERS = RelationName("shop", "orders")
CUSTOMERS = RelationName("shop", "customers")
SCHEMAS = {
    ORDERS: TableSchema((Column("id", "int"), Column("cust", "int"), Column("amount", "decimal(10,2)"))),
    CUSTOMERS: TableSchema((Column("id", "int"), Column("name", "string"))),
}
TOTALS = (
    "select c.name, sum(o.amount) as total from `shop`.`orders` o join `shop`.`customers` c on c.id = o.cust "
    "group by c.name"
)


def compiled(sql: str) -> CompiledTable:
    table = StreamTable(RelationName("main", "t"), sql, Location("tables/t.sql"), raw=sql, inputs=(ORDERS, CUSTOMERS))
    return compile_table(table, {name: schema for name, schema in SCHEMAS.items() if f"`{name.table}`" in sql})


def names(steps: object) -> list[str]:
    return [type(step).__name__ for step in steps]  # type: ignore[attr-defined]


def test_state_comes_before_the_deciding_commit_and_folding_after_it() -> None:
    steps = differential_steps(compiled(TOTALS), frozenset())
    assert names(steps) == ["AppendState", "CommitDelta", "Fold"]


def test_full_refresh_rebuilds_state_before_it_decides() -> None:
    assert names(full_steps(compiled(TOTALS), baseline=True)) == ["RestartState", "CommitDifference"]
    assert names(full_steps(compiled(TOTALS), baseline=False)) == ["RestartState", "CommitBaseline"]


def test_full_refresh_reads_nothing_but_the_new_state() -> None:
    for step in full_steps(compiled(TOTALS), baseline=False):
        assert not isinstance(step, Fold | CommitNoChange | DropState)
        assert {read.version for read in step.statement.reads} <= {None, Version.NEW}


def test_terms_over_unchanged_inputs_are_not_read() -> None:
    state, *_ = differential_steps(compiled(TOTALS), frozenset[Name]({CUSTOMERS}))
    assert not isinstance(state, Fold | CommitNoChange)
    assert (CUSTOMERS, Version.DELTA) not in {(read.name, read.version) for read in state.statement.reads}
    assert (ORDERS, Version.OLD) not in {(read.name, read.version) for read in state.statement.reads}


def test_nothing_changed_records_the_epoch_alone() -> None:
    steps = differential_steps(compiled(TOTALS), frozenset[Name]({ORDERS, CUSTOMERS}))
    assert names(steps) == ["CommitNoChange"]


def test_fingerprint_follows_query_and_columns_not_layout() -> None:
    sql = "select id from `shop`.`orders`"
    assert compiled(sql).fingerprint == compiled("select  id\nfrom `shop`.`orders` -- same").fingerprint
    assert compiled(sql).fingerprint != compiled("select id from `shop`.`orders` where id > 1").fingerprint


def test_a_table_declared_full_keeps_no_state_that_would_grow_stale() -> None:
    declared = compiled(TOTALS)
    full = replace(declared, table=replace(declared.table, refresh_mode=RefreshMode.FULL))
    assert names(full_steps(full, baseline=True)) == ["DropState", "CommitDifference"]
