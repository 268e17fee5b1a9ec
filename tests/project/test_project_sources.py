"""`sources/*.yml`: tables, capture modes, columns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_project import SETTINGS, SmallProject

from trickle.model.schema import Column
from trickle.model.stream_table import CdcMode
from trickle.project.spark_type import spark_type

SOURCES = """\
sources:
  - name: shop
    schema: "{{ var('schema', 'sales') }}"
    cdc_mode: trigger
    tables:
      - orders
      - {name: events, cdc_mode: wal}
      - name: people
        identifier: People
        columns: {id: bigint not null, Name: String, price: "numeric(12, 2)", tags: "ARRAY<STRING>"}
"""


def test_sources_are_read_in_order(project: SmallProject) -> None:
    orders, events, people = project.load({"sources/shop.yml": SOURCES}).sources
    assert (str(orders.name), orders.connection, orders.pg_schema, orders.pg_table) == (
        "shop.orders", "shop", "sales", "orders",
    )  # fmt: skip
    assert (orders.cdc_mode, events.cdc_mode) == (CdcMode.TRIGGER, CdcMode.WAL)
    assert people.pg_table == "People"
    assert str(events.location) == "sources/shop.yml:7:9"
    assert people.columns == (
        Column("id", "bigint", nullable=False),
        Column("Name", "string"),
        Column("price", "decimal(12,2)"),
        Column("tags", "array<string>"),
    )


def test_a_project_wide_capture_mode_is_inherited(project: SmallProject) -> None:
    files = project.load({"trickle.yml": SETTINGS + "defaults: {cdc_mode: wal}\n"})
    assert {source.cdc_mode for source in files.sources} == {CdcMode.WAL}


def test_one_source_may_be_spread_over_files(project: SmallProject) -> None:
    more = "sources:\n  - {name: shop, tables: [items]}\n"
    assert len(project.load({"sources/more.yaml": more}).sources) == 3


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ("[orders, Orders]", "differ only by case"),
        ("[orders, {name: other, identifier: orders}]", "are the same PostgreSQL table"),
        ("[{name: t, columns: {a: int, A: int}}]", "differ only by case"),
        ("[{name: t, columns: {a: timestamptz}}]", "write timestamp"),
        ("[{name: t, columns: {a: numeric}}]", "precision and a scale"),
        ("[]", "needs at least one entry"),
        ("[{name: t, columns: {a: 'decimal(40,2)'}}]", "at most 38 digits"),
    ],
)
def test_sources_that_cannot_work_are_refused(project: SmallProject, tables: str, message: str) -> None:
    error = project.error({"sources/shop.yml": f"sources:\n  - name: shop\n    tables: {tables}\n"})
    assert message in str(error)
    assert error.location
    assert error.location.line == 3


TYPES = st.recursive(
    st.sampled_from(["int", "bigint", "string", "double", "timestamp", "decimal(10,2)", "boolean"]),
    lambda inner: st.one_of(
        inner.map("array<{}>".format),
        st.tuples(inner, inner).map(lambda pair: f"map<{pair[0]},{pair[1]}>"),
        st.tuples(inner, inner).map(lambda pair: f"struct<a:{pair[0]},b:{pair[1]}>"),
    ),
    max_leaves=6,
)


@given(TYPES)
def test_a_canonical_type_stays_as_it_is(kind: str) -> None:
    assert spark_type(kind) == kind


@given(TYPES)
def test_case_and_spaces_do_not_matter(kind: str) -> None:
    assert spark_type(kind.upper().replace(",", " ,  ")).lower() == kind


@given(st.text(max_size=20))
def test_any_other_text_is_refused_not_passed_on(text: str) -> None:
    try:
        kind = spark_type(text)
    except ValueError:
        return
    assert spark_type(kind) == kind
