"""The example projects: after every round of changes each table is refreshed by what changed, and equals its query."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.end_to_end.example_project import ExampleProject
from trickle.model.report import ChosenMode, RunReport

pytestmark = [pytest.mark.spark, pytest.mark.postgres]

# What these are written with exists in Spark only: PIVOT, QUALIFY, LATERAL VIEW, unix_seconds, regexp_extract.
SPARK_ONLY = {
    "retail": frozenset({"best_items_per_store", "interests_by_state", "weekday_pivot"}),
    "auctions": frozenset({"q05_hot_items", "q12_bids_per_window", "q19_top_bids", "q21_channel_id", "tag_prices"}),
}


@pytest.mark.parametrize("name", sorted(SPARK_ONLY))
def test_every_table_of_an_example_stays_equal_by_deltas_alone(name: str, tmp_path: Path, database: str) -> None:
    example = ExampleProject(name, tmp_path / name, database, SPARK_ONLY[name])
    example.run()
    reports = []
    for changes in example.rounds():
        example.execute(changes)
        reports.append(example.run())
        assert _recomputed(reports[-1]) == {}
        assert example.differing_from_scratch() == []
        assert example.differing_from_postgres() == {}
    assert len(reports) >= 3
    _check_that_tables_moved(reports)


def _recomputed(report: RunReport) -> dict[str, str]:
    return {run.name: run.reason for run in report.tables if run.mode is ChosenMode.FULL}


def _check_that_tables_moved(reports: list[RunReport]) -> None:
    """A table that never changes would be equal whatever its delta says."""
    for name in [run.name for run in reports[0].tables]:
        runs = [run for report in reports for run in report.tables if run.name == name]
        assert sum(run.rows_inserted > 0 or run.rows_deleted > 0 for run in runs) >= 2, f"{name} hardly changes"
        assert any(run.rows_inserted for run in runs), f"{name} gains no row"
        assert any(run.rows_deleted for run in runs), f"{name} loses no row"
