"""Keys pushed down narrow what is read, and never what is found."""

from __future__ import annotations

from collections import Counter

import pytest
from duck_database import DuckDatabase, Row, read_query

from trickle.differentiate.restrict import restrict
from trickle.model.names import RelationName
from trickle.model.schema import Column, TableSchema
from trickle.query.draw import draw
from trickle.query.operators import Relation, Restrict, Scan, Version, names
from trickle.query.tree import walk

A, B, C, D = (RelationName("shop", name) for name in "abcd")
SCHEMAS = {
    A: TableSchema((Column("x", "int"), Column("y", "int"))),
    B: TableSchema((Column("x", "int"), Column("y", "int"))),
    C: TableSchema((Column("x", "bigint"), Column("s", "string"))),
    D: TableSchema((Column("x", "int"), Column("y", "int"))),
}
ROWS: dict[RelationName, list[Row]] = {
    A: [(1, 1), (1, 2), (2, 2), (3, None), (3, 2), (None, 1)],
    B: [(1, 2), (2, 1), (2, 3), (None, None)],
    C: [(1, "a"), (2, "b"), (3, "a"), (None, None)],
    D: [(1, 2), (2, 2), (None, 1)],
}
BOTH = "select a.x, a.y, b.x as bx, b.y as by from shop.a join shop.b on a.x = b.x"


def restricted(sql: str, keys: str, by: str = "select x, y from shop.d") -> tuple[Relation, Relation, DuckDatabase]:
    """A query's rows whose keys occur in another's first columns; before and after the keys are pushed down."""
    tree, wanted = (DuckDatabase(read_query(text, SCHEMAS)).plan.tree for text in (sql, by))
    pairs = tuple(zip(keys.split(), names(wanted.columns), strict=False))
    whole = Restrict(tree, wanted, pairs)
    database = DuckDatabase(read_query("select a.x from shop.a, shop.b, shop.c, shop.d", SCHEMAS))
    return whole, restrict(whole), database


def narrowed(relation: Relation) -> dict[str, tuple[str, ...]]:
    """The scans that stand directly under keys, and by which of their columns."""
    found = [n for n in walk(relation) if isinstance(n, Restrict) and isinstance(n.left, Scan)]
    return {n.left.source.table: tuple(a for a, _ in n.keys) for n in found}  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("sql", "keys"),
    [
        ("select x, y from shop.a union all select x, y from shop.b", "x"),
        ("select x, y from shop.a union all select x, y from shop.b", "x y"),
        ("select distinct x, y from shop.a where y > 1", "x"),
        ("select x, y + 1 as z from shop.a", "x z"),
        ("select x, y + 1 as z from shop.a", "z"),
        ("select x, max(y) as m from shop.a group by x", "x"),
        ("select x, max(y) as m from shop.a group by x", "x m"),
        (BOTH, "x"),
        (BOTH, "bx"),
        (BOTH, "x y"),
        (BOTH, "y by"),
        (BOTH, "x by"),
        (BOTH, "bx y"),
        ("select a.x, b.y from shop.a join shop.b on a.x < b.x", "x"),
        ("select a.x, b.y from shop.a join shop.b on a.y = b.y and a.x = 1", "x"),
        ("select a.x, b.y from shop.a join shop.b on a.y = b.y and b.x + 1 = a.x", "x"),
        ("select a.x, b.y from shop.a join shop.b on a.y = b.y and a.x = b.x + 1", "x"),
        ("select a.x, c.s from shop.a join shop.c on a.x = c.x", "x"),
        ("select a.x, b.y, c.s from shop.a join shop.b on a.x = b.x cross join shop.c", "x"),
        ("select a.x, a.y, b.y as by from shop.a left join shop.b on a.x = b.x", "x"),
        ("select a.x, a.y, b.y as by from shop.a left join shop.b on a.x = b.x", "by"),
        ("select a.x, a.y, b.y as by from shop.a left join shop.b on a.x = b.x", "y by"),
        ("select a.x, a.y, b.y as by from shop.a left join shop.b on a.x < b.x", "x y"),
        ("select x, y from shop.a where x in (select x from shop.b)", "x"),
        ("select x, y from shop.a where x in (select x from shop.b)", "y x"),
        ("select x, y from shop.a where not exists (select 1 from shop.b where b.x = a.x and b.y = a.y)", "x"),
        ("select x, y from shop.a where not exists (select 1 from shop.b where b.x = a.x and b.y = a.y)", "y"),
        ("select x, y, count(*) over (partition by x) as n from shop.a", "x"),
        ("select x, y, count(*) over (partition by x) as n from shop.a", "y"),
        ("select x, y, count(*) over (partition by x) as n from shop.a", "x n"),
        ("select x, y from shop.a order by y desc, x limit 2", "x"),
        ("select x, e from shop.a lateral view explode(array(x, y)) g as e", "x"),
        ("select x, e from shop.a lateral view explode(array(x, y)) g as e", "e"),
        ("select x, e from shop.a lateral view explode(array(x, y)) g as e", "x e"),
        ("select c.s, a.x, b.y from shop.c cross join shop.a join shop.b on a.x = b.x", "x y"),
    ],
)
def test_the_rows_stay(sql: str, keys: str) -> None:
    whole, pushed, database = restricted(sql, keys)
    contents = {(name, Version.NEW): list(Counter(rows).items()) for name, rows in ROWS.items()}
    expected = database.evaluate(whole, contents)
    assert expected
    assert database.evaluate(pushed, contents) == expected


@pytest.mark.parametrize("keys", ["x", "bx"])
def test_a_key_reaches_the_column_that_a_join_makes_equal_to_it(keys: str) -> None:
    _, pushed, _ = restricted(BOTH, keys)
    assert narrowed(pushed) == {"a": ("a.x",), "b": ("b.x",)}


LEFT = "select a.x, a.y, b.y as by from shop.a left join shop.b on a.x = b.x"
SOME = "select a.x, a.y from shop.a where exists (select 1 from shop.b where a.x = b.x)"
NONE = "select a.x, a.y from shop.a where not exists (select 1 from shop.b where a.x = b.x)"


@pytest.mark.parametrize("sql", [LEFT, SOME, NONE])
def test_the_deciding_side_of_a_join_is_narrowed_by_the_joins_own_key_alone(sql: str) -> None:
    _, pushed, _ = restricted(sql, "x")
    assert narrowed(pushed) == {"a": ("a.x",), "b": ("b.x",)}
    assert draw(pushed).count("Restrict") == 2
    _, pushed, _ = restricted(sql, "y")
    assert narrowed(pushed) == {"a": ("a.y",)}


def test_a_key_within_one_input_is_not_checked_again_above_the_join() -> None:
    _, pushed, _ = restricted(BOTH, "x")
    assert not isinstance(pushed, Restrict)
    assert draw(pushed).count("Restrict") == 2


def test_a_key_spread_over_a_join_is_checked_above_it_as_a_whole() -> None:
    _, pushed, _ = restricted(BOTH, "y by")
    assert narrowed(pushed) == {"a": ("a.y",), "b": ("b.y",)}
    assert draw(pushed).count("Restrict") == 3


def test_a_column_of_another_type_is_left_alone() -> None:
    _, pushed, _ = restricted("select a.x, c.s from shop.a join shop.c on a.x = c.x", "x")
    assert narrowed(pushed) == {"a": ("a.x",)}


def test_a_column_of_uncertain_type_is_left_alone() -> None:
    mixed = "select coalesce(s, x) as s from shop.c"
    sql = f"select p.s from ({mixed}) p join ({mixed}) q on p.s = q.s"
    _, pushed, _ = restricted(sql, "s", "select s from shop.c")
    assert draw(pushed).count("Restrict") == 1


def test_two_restrictions_of_one_relation_both_hold() -> None:
    whole, _, database = restricted("select x, y from shop.a", "x", "select x from shop.b")
    twice = Restrict(whole, Scan(D, ("x", "y"), SCHEMAS[D].columns), (("y", "y"),))
    contents = {(name, Version.NEW): list(Counter(rows).items()) for name, rows in ROWS.items()}
    assert database.evaluate(restrict(twice), contents) == Counter({(1, 1): 1, (1, 2): 1, (2, 2): 1, (None, 1): 1})
