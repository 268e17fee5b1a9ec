"""Affected keys pushed down to the scans of a random query leave it the same rows with those keys."""

from __future__ import annotations

from random import Random

import pytest
from sqlglot import exp

from tests.differentiate.duck_database import DuckDatabase, read_query
from tests.properties.grammar import Engine
from tests.properties.random_tables import SCHEMAS
from tests.properties.schedule import Schedule, random_schedule
from trickle.differentiate.restrict import restrict
from trickle.query.operators import Filter, Restrict, Version, column, names

BLOCK = 10


def differs(schedule: Schedule, draw: Random) -> bool:
    database = DuckDatabase(read_query(schedule.sql, SCHEMAS))
    contents = {(name, Version.NEW): list(schedule.rows[name].items()) for name in database.rows}
    tree = database.plan.tree
    keys = draw.sample(names(tree.columns), draw.randint(1, len(tree.columns)))
    some = Filter(tree, exp.Is(this=column(keys[0]), expression=exp.null()).not_())
    wanted = Restrict(tree, draw.choice([tree, some]), tuple((k, k) for k in keys))
    return database.evaluate(restrict(wanted), contents) != database.evaluate(wanted, contents)


@pytest.mark.parametrize("first", range(0, 60, BLOCK))
def test_pushing_keys_down_keeps_the_rows(first: int) -> None:
    schedules = {seed: random_schedule(seed, Engine.DUCKDB) for seed in range(first, first + BLOCK)}
    # recursion runs in a loop of statements, not in one
    single = {seed: s for seed, s in schedules.items() if "recursive CTE" not in s.constructs}
    assert not [(seed, s.sql) for seed, s in single.items() if differs(s, Random(seed))]
