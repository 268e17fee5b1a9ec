"""What a statement needs several times and costs reading is computed once, before it."""

from __future__ import annotations

import pytest
from duck_database import TABLE, DuckDatabase, read_query

from trickle.differentiate.stages import Staged, staged
from trickle.model.names import RelationName, StageName
from trickle.model.schema import Column, TableSchema
from trickle.query.operators import Consolidate, Negate, Relation, Scan, UnionAll, Version
from trickle.query.tree import scans, walk

SCHEMAS = {RelationName("shop", n): TableSchema((Column("x", "int"), Column("y", "int"))) for n in "ab"}
TOP = "select a.x, count(*) over (partition by a.x) as m from shop.a join shop.b on a.x = b.x"


def delta_of(sql: str) -> Staged:
    return staged(DuckDatabase(read_query(sql, SCHEMAS)).plan.delta, TABLE)


def stages_read(relation: Relation) -> list[str]:
    """The stages that a relation scans, one entry a scan."""
    return [str(n.source) for n in walk(relation) if isinstance(n, Scan) and isinstance(n.source, StageName)]


def test_changes_joined_with_stored_rows_are_computed_once() -> None:
    found = delta_of(TOP)
    ((name, part),) = found.stages
    assert {version for _, version in scans(part)} == {Version.OLD, Version.NEW, Version.DELTA}
    assert set(stages_read(found.relation)) == {str(name)}
    assert Version.DELTA not in {v for source, v in scans(found.relation) if not isinstance(source, StageName)}


def test_changes_alone_are_read_where_they_are_needed() -> None:
    found = delta_of("select x, count(*) over (partition by x) as m from shop.a")
    assert found.stages == ()
    assert stages_read(found.relation) == []


def test_a_stage_reads_only_stages_before_it() -> None:
    found = delta_of(f"select x, count(*) over (partition by m) as n from ({TOP}) s")
    assert len(found.stages) > 1
    known: set[str] = set()
    for name, part in found.stages:
        assert set(stages_read(part)) <= known
        known.add(str(name))


def test_stages_are_numbered_from_where_the_caller_says() -> None:
    plan = DuckDatabase(read_query(TOP, SCHEMAS)).plan
    ((name, _),) = staged(plan.delta, TABLE, first=7).stages
    assert name == StageName(TABLE, 7)


@pytest.mark.parametrize(
    ("versions", "stages"),
    [
        ((Version.DELTA, Version.OLD), 1),
        ((Version.DELTA, Version.NEW), 1),
        ((Version.OLD, Version.NEW), 0),
        ((Version.NEW, Version.NEW), 0),
        ((Version.DELTA, Version.DELTA), 0),
    ],
)
def test_only_changes_beside_stored_rows_become_a_stage(versions: tuple[Version, ...], stages: int) -> None:
    name, schema = next(iter(SCHEMAS.items()))
    shared = UnionAll(tuple(Scan(name, schema.names, schema.columns, version) for version in versions))
    assert len(staged(UnionAll((Consolidate(shared), Negate(shared))), TABLE).stages) == stages
