"""The page of supported SQL is what the planner says."""

from __future__ import annotations

from pathlib import Path

from trickle.refresh.sql_support import document

ROOT = Path(__file__).parents[2]


def test_the_page_of_supported_sql_is_current() -> None:
    assert (ROOT / "docs/sql-support.md").read_text(encoding="utf-8") == document()


def test_no_promised_construct_is_refused() -> None:
    refused = {line.split("`")[1] for line in document().splitlines() if "| FULL |" in line}
    assert refused == {
        "select k, hll_sketch_agg(id) h from o group by k",
        "select id, collect_list(v) over (partition by k order by id) n from o",
        "select id from o limit 10",
        "select id from o where at > now()",
        "select rand() r from o",
        "select uuid() u from o",
        "select my_function(id) u from o",
        "select m from o",
    }
