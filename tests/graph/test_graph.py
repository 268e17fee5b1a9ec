"""The DAG: order, levels, cycles, selection."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trickle.errors import Location, ProjectError
from trickle.graph.build import Graph, build_graph
from trickle.graph.levels import levels
from trickle.graph.select import parse_selector, select_tables
from trickle.model.names import DEFAULT_SCHEMA, RelationName
from trickle.model.stream_table import SourceTable, StreamTable

SHOP = {
    "a": ("shop.orders",),
    "b": ("shop.customers", "a"),
    "c": ("a",),
    "daily_d": ("b", "c"),
    "e": ("shop.customers",),
}
TAGS = {"a": ("core",), "daily_d": ("core", "finance"), "e": ("finance",)}


def relation(text: str) -> RelationName:
    schema, _, table = text.rpartition(".")
    return RelationName(schema or DEFAULT_SCHEMA, table)


def graph_of(tables: Mapping[str, tuple[str, ...]]) -> Graph:
    inputs = {name for names in tables.values() for name in names if "." in name}
    sources = [SourceTable(relation(name), "shop", "public", relation(name).table) for name in sorted(inputs)]
    return build_graph(
        sources,
        [
            StreamTable(
                relation(name),
                "select 1",
                Location(f"tables/{'reports' if name.startswith('daily') else 'base'}/{name}.sql"),
                raw="\n".join(f"select 1 from {{{{ ref('{other}') }}}}" for other in names),
                tags=TAGS.get(name, ()),
                inputs=tuple(relation(other) for other in names),
            )
            for name, names in tables.items()
        ],
    )


def chosen(select: str, exclude: str = "") -> str:
    names = select_tables(graph_of(SHOP), select.split(), exclude.split())
    return " ".join(sorted(name.table for name in names))


def test_inputs_come_before_their_readers() -> None:
    assert [table.name.table for table in graph_of(SHOP).tables] == ["a", "b", "c", "daily_d", "e"]
    assert [[name.table for name in level] for level in levels(graph_of(SHOP))] == [["a", "e"], ["b", "c"], ["daily_d"]]


def test_up_and_downstream_reach_through() -> None:
    graph = graph_of(SHOP)
    assert relation("shop.orders") in graph.upstream(relation("daily_d"))
    assert graph.downstream(relation("a")) == {relation("b"), relation("c"), relation("daily_d")}


def test_an_input_nobody_declares_is_refused() -> None:
    with pytest.raises(ProjectError, match='reads "ordrs"') as caught:
        graph_of({"orders": (), "x": ("ordrs",)})
    assert caught.value.hint == 'did you mean "orders"?'


def test_a_cycle_is_named_with_its_path_and_files() -> None:
    with pytest.raises(ProjectError, match="c -> d -> e -> c") as caught:
        graph_of({"a": (), "b": ("c",), "c": ("a", "d"), "d": ("e",), "e": ("c",)})
    assert str(caught.value.location) == "tables/base/c.sql:2:18"
    assert "e: tables/base/e.sql" in caught.value.detail


@pytest.mark.parametrize(
    ("select", "exclude", "expected"),
    [
        ("", "", "a b c daily_d e"),
        ("a", "", "a"),
        ("+b", "", "a b"),
        ("a+", "", "a b c daily_d"),
        ("a+1", "", "a b c"),
        ("1+daily_d", "", "b c daily_d"),
        ("+b+", "", "a b daily_d"),
        ("a e", "", "a e"),
        ("main.a", "", "a"),
        ("daily_*", "", "daily_d"),
        ("tag:core", "", "a daily_d"),
        ("tag:core,tag:finance", "", "daily_d"),
        ("path:tables/reports", "", "daily_d"),
        ("path:tables/base/a.sql", "", "a"),
        ("path:./tables/base/", "", "a b c e"),
        ("source:shop+", "", "a b c daily_d e"),
        ("source:shop.customers+", "", "b daily_d e"),
        ("source:shop.customers+1", "", "b e"),
        ("", "tag:finance", "a b c"),
        ("a+", "c+", "a b"),
        ("a", "a", ""),
        ("a,e", "", ""),
    ],
)
def test_selection(select: str, exclude: str, expected: str) -> None:
    assert chosen(select, exclude) == expected


@pytest.mark.parametrize(
    ("select", "hint"),
    [
        ("daily", 'did you mean "daily_d"?'),
        ("tag:zzz", "known: core, finance"),
        ("tag:financ", 'did you mean "finance"?'),
        ("path:tables/report", 'did you mean "tables/reports"?'),
        ("source:shp", 'did you mean "shop"?'),
        ("shop.orders", "it is a source: source:shop.orders+"),
        ("source:shop", "write source:name+"),
        ("tga:core", 'did you mean "tag"?'),
        ("++a", "write a name"),
        ("tag:", "write a name"),
        ("zz*", "known: a, b, c, daily_d, e"),
    ],
)
def test_a_selector_that_finds_nothing_is_a_wrong_command(select: str, hint: str) -> None:
    with pytest.raises(ProjectError) as caught:
        chosen(select)
    assert hint in caught.value.hint


def test_an_unknown_exclusion_is_an_error_too() -> None:
    with pytest.raises(ProjectError, match="matches nothing"):
        chosen("", "nothing")


@st.composite
def random_tables(draw: st.DrawFn) -> dict[str, tuple[str, ...]]:
    tables: dict[str, tuple[str, ...]] = {}
    for number in range(draw(st.integers(1, 8))):
        known = ["shop.x", "shop.y", *tables]
        tables[f"t{number}"] = tuple(draw(st.lists(st.sampled_from(known), min_size=1, max_size=3, unique=True)))
    return tables


@given(random_tables(), st.data())
def test_laws_of_selection(tables: dict[str, tuple[str, ...]], data: st.DataObject) -> None:
    graph = graph_of(tables)
    name, other = (data.draw(st.sampled_from(sorted(tables))) for _ in range(2))
    everything = frozenset(graph.by_name)
    up, down = select_tables(graph, [f"+{name}"]), select_tables(graph, [f"{name}+"])
    assert up & down == {relation(name)}
    assert up == {relation(name)} | (graph.upstream(relation(name)) & everything)
    assert select_tables(graph, [f"+{name}+"]) == up | down
    assert select_tables(graph, [name, other]) == {relation(name), relation(other)}
    assert select_tables(graph, exclude=[f"{name}+"]) == everything - down
    assert (relation(name) in select_tables(graph, [f"{other}+"])) == (
        relation(other) in select_tables(graph, [f"+{name}"])
    )


@given(random_tables())
def test_levels_hold_every_table_once_and_after_its_inputs(tables: dict[str, tuple[str, ...]]) -> None:
    graph = graph_of(tables)
    level_of = {name: number for number, level in enumerate(levels(graph)) for name in level}
    assert set(level_of) == set(graph.by_name)
    for name, table in graph.by_name.items():
        assert all(level_of[one] < level_of[name] for one in table.inputs if one in level_of)


@given(st.text(max_size=12))
def test_any_selector_is_read_or_refused(text: str) -> None:
    with suppress(ProjectError):
        assert parse_selector(text).pattern
