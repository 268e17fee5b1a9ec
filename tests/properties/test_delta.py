"""old + delta = new, for random queries, tables and changes, over several intervals."""

from __future__ import annotations

from collections import Counter

from duck_database import DuckDatabase, Row, ZSet, read_query
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from random_queries import SCHEMAS, queries, row_of
from sqlglot import exp

from trickle.differentiate.restrict import restrict
from trickle.errors import NotDifferentiableError
from trickle.model.names import RelationName
from trickle.query.operators import Filter, Restrict, Version, column, names

CYCLES = 3


@st.composite
def changes_of(draw: st.DrawFn, name: RelationName, present: ZSet) -> list[tuple[Row, int]]:
    """Inserts, deletes of present rows, and rows that come and go within the interval."""
    inserted = draw(st.lists(row_of(name), max_size=3))
    rows = sorted(present.elements(), key=repr)
    deleted = draw(st.lists(st.integers(0, len(rows) - 1), max_size=4, unique=True)) if rows else []
    fleeting = draw(st.lists(row_of(name), max_size=1))
    weighted = [(row, 1) for row in inserted] + [(rows[i], -1) for i in deleted]
    return weighted + [(row, w) for row in fleeting for w in (1, -1)]


@given(st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_old_plus_delta_is_new(data: st.DataObject) -> None:
    sql = data.draw(queries())
    try:
        database = DuckDatabase(read_query(sql, SCHEMAS))
    except NotDifferentiableError:
        assume(False)
    for name in database.rows:
        database.rows[name] = Counter(data.draw(st.lists(row_of(name), max_size=5), label=str(name)))
    database.baseline()
    assert database.result == database.from_scratch(database.rows), sql
    for _ in range(CYCLES):
        changes = {name: data.draw(changes_of(name, rows), label=str(name)) for name, rows in database.rows.items()}
        database.prunes = data.draw(st.booleans(), label="prune")
        database.refresh(changes)
        assert database.result == database.from_scratch(database.rows), sql


@given(st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_pushing_keys_down_keeps_the_rows(data: st.DataObject) -> None:
    sql = data.draw(queries())
    database = DuckDatabase(read_query(sql, SCHEMAS))
    contents = {
        (name, Version.NEW): list(Counter(data.draw(st.lists(row_of(name), max_size=5))).items())
        for name in database.rows
    }
    tree = database.plan.tree
    keys = data.draw(st.lists(st.sampled_from(names(tree.columns)), min_size=1, unique=True))
    wanted = Filter(tree, exp.Is(this=column(keys[0]), expression=exp.null()).not_())
    restricted = Restrict(tree, data.draw(st.sampled_from([tree, wanted])), tuple((k, k) for k in keys))
    assert database.evaluate(restrict(restricted), contents) == database.evaluate(restricted, contents), sql
