"""Every trap this field has fallen into is a named case or test here; one that loses its case fails."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

QUERIES = {
    "both partners of a join inserted": "inner_join: Both sides change in one interval: the pair of new rows",
    "both partners of a join deleted": "inner_join: Both partners deleted in one interval",
    "both partners of a join changed with their key": "inner_join: Both partners change together with their key",
    "three tables deleting at once": "inner_join: Three tables delete at once",
    "the same row changed several times": "scan: A row that came and went within the interval, and one changed twice",
    "key swap": "project: Key swap",
    "delete and reinsert": "scan: Delete and reinsert of the same row",
    "LEFT JOIN keeps a match and gains a NULL row": "outer_join: A match that stays keeps the row of NULLs away",
    "LEFT JOIN loses its last match": "outer_join: A row keeps its NULLs until its first match comes",
    "FULL JOIN with an update left and a delete right": "outer_join: A FULL join with an update on the left",
    "group with {5, NULL} loses 5": "aggregate: A group with {5, NULL} loses 5",
    "NULL group keys": "aggregate: NULL is a group of its own",
    "HAVING crossed up then down": "aggregate: HAVING crossed upwards, then downwards",
    "COUNT(DISTINCT) losing one duplicate": "aggregate: COUNT(DISTINCT) losing one of two duplicates",
    "EXCEPT and INTERSECT": "distinct: EXCEPT and INTERSECT know a row once",
    "EXCEPT ALL multiplicities": "explode: EXCEPT ALL keeps a row as often",
    "INTERSECT ALL multiplicities": "explode: INTERSECT ALL keeps a row as often",
    "NOT IN with NULLs": "anti_join: NOT IN: one NULL among the values",
    "correlated subquery on the same table": "semi_join: A correlated condition on the same table as its outer query",
    "window partition moves": "window: A row that moves changes its old and its new partition",
    "window ties": "window: Ties are broken by the other columns",
    "top-k re-admission of row k+1": "top_k: A row that leaves the first two lets the third one in",
    "top-k tie at the boundary": "top_k: A tie at the boundary",
    "columns called __w and epoch": "scan: A source column may be called like our weight column",
    "columns called epoch, action, lsn; quoted names": "scan: Source columns called like words of ours",
    "aggregate state that drifts by an ULP": "extremum: Float sums are computed again",
    "exact sums that drift": "aggregate: Exact sums of decimals: nothing drifts",
    "DECIMAL growth": "aggregate: DECIMAL growth",
    "-0.0 and NaN": "extremum: -0.0 and 0.0 are one group, and so is NaN",
    "integer division, postgres dialect": "project: Integers divide to integers in the postgres dialect",
    "integer division, spark dialect": "project: Integers divide to fractions in the spark dialect",
}
"""A trap, and the golden file and the beginning of the sentence of its case."""

CAPTURE = {
    "a session idle in transaction after its write": "capture/test_commit_order.py::"
    "test_session_idle_in_transaction_after_its_write",
    "a chain of overlapping writers": "capture/test_commit_order.py::test_chain_of_overlapping_transactions",
    "TRUNCATE together with inserts": "capture/test_statements.py::test_truncate_is_ordered_against_its_neighbours",
    "TRUNCATE that commits late": "capture/test_statements.py::test_truncate_that_commits_late",
    "two readers of a source at different speeds": "capture/test_several_lakes.py::"
    "test_rows_are_kept_until_every_lake_has_them",
    "a crashed server that reuses xids": "capture/test_crashes.py::test_what_a_cut_saw_is_never_forgotten",
    "a copy whose snapshot is older than its trigger": "capture/test_commit_order.py::"
    "test_writer_that_was_open_before_the_first_copy",
    "a garbage collector that forgets open transactions": "capture/test_several_lakes.py::"
    "test_rows_of_open_transactions_survive_trimming",
    "direct DML on a partition": "capture/test_partitions.py::test_writes_through_every_level",
    "virtual generated columns": "capture/test_captured_types.py::test_virtual_generated_column_is_refused",
    "rows applied by a logical subscriber": "capture/test_statements.py::test_replica_role_does_not_silence_capture",
    "row-level security on the copying role": "capture/test_servers.py::"
    "test_row_level_security_is_an_error_and_never_a_shorter_copy",
    "an application role without rights": "capture/test_statements.py::"
    "test_role_without_rights_on_our_schema_can_write",
    "source columns named like ours": "lake/test_mirror.py::test_source_columns_named_like_ours_are_kept",
    "names of columns": "capture/test_names.py::test_columns_may_be_called_anything",
    "names of tables": "capture/test_names.py::test_tables_may_be_called_anything",
    "a row that differs by an ULP": "refresh/test_unmatched.py::test_rows_that_differ_by_an_ulp_in_a_float_match",
    "the sign of zero on its way through": "end_to_end/test_mishaps.py::test_sign_of_zero_is_kept",
    "integer division as PostgreSQL does it": "end_to_end/test_postgres_dialect.py::"
    "test_scalar_expressions_agree_with_postgresql",
}
"""A trap, and the test that steps into it."""


def _sentences(rule: str) -> list[str]:
    """The sentence of each case of a golden file, its lines joined."""
    text = (TESTS / "rules" / f"{rule}.golden").read_text(encoding="utf-8")
    comments = re.findall(r"^#.*(?:\n#.*)*", text, re.MULTILINE)
    return [" ".join(line.lstrip("# ") for line in comment.splitlines()) for comment in comments]


@pytest.mark.parametrize("trap", QUERIES)
def test_trap_of_queries_is_a_golden_case(trap: str) -> None:
    rule, _, sentence = QUERIES[trap].partition(": ")
    assert any(found.startswith(sentence) for found in _sentences(rule))


@pytest.mark.parametrize("trap", CAPTURE)
def test_trap_of_capture_is_a_test(trap: str) -> None:
    path, _, name = CAPTURE[trap].partition("::")
    tree = ast.parse((TESTS / path).read_text(encoding="utf-8"))
    assert name in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
