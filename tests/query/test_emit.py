"""Names in emitted SQL: unambiguous views, a free weight column, comments that cannot end early."""

from __future__ import annotations

import subprocess
import sys

import pytest
from query_tables import read

from trickle.model.names import RelationName, StateName
from trickle.model.schema import Column
from trickle.query.emit import emit, view_name, weight_name
from trickle.query.lower import lower
from trickle.query.operators import Scan, Version

REVENUE = RelationName("main", "revenue")


def test_views_are_named_by_relation_and_version() -> None:
    assert view_name(RelationName("shop", "orders")) == "shop.orders"
    assert view_name(RelationName("shop", "orders"), Version.NEW) == "shop.orders@new"
    assert view_name(StateName(REVENUE, "aggregate_1"), Version.OLD) == "main.revenue#aggregate_1@old"


def test_different_relations_have_different_views() -> None:
    names = [("a.b", "c"), ("a", "b.c"), ("a", "b%2Ec"), ("a", "b@new"), ("a", "b`c")]
    assert len({view_name(RelationName(*name)) for name in names}) == len(names)


def test_weight_avoids_every_stored_column_even_unread_ones() -> None:
    scan = Scan(REVENUE, ("id",), (Column("r.id", "int"),), unread=("__W", "__w_"))
    assert weight_name([scan]) == "__w__"
    with pytest.raises(ValueError, match="__w"):
        emit(scan, "__w")


def test_a_comment_in_a_literal_does_not_end_ours() -> None:
    sql = emit(lower(read("select region from shop.customers where region <> '*/ or /* x'")), "__w")
    comment = sql[sql.index("/*") : sql.index("AS (")]
    assert comment.count("*/") == 1


def test_planning_imports_neither_spark_nor_database_drivers() -> None:
    code = (
        "import sys, trickle.query.canonical, trickle.differentiate.explain, trickle.differentiate.simplify;"
        "sys.exit(any(m in sys.modules for m in ('pyspark', 'pyarrow', 'psycopg2', 'deltalake')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
