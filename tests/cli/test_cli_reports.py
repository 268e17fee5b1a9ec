"""What people read on the terminal and in a pipe."""

from __future__ import annotations

import io

import pyarrow as pa
import pytest
from rich.console import Console

from trickle.cli.progress import LiveReporter
from trickle.model.report import Check, ChosenMode, Progress, RunReport, RunStatus, SourceRun, TableRun, Verification


def test_plan_shows_modes_reason_place_pending_rows_and_upstream(invoke):
    result = invoke("plan")
    assert result.exit_code == 0
    for word in ("epoch 3", "declared auto", "DIFFERENTIAL", "shop.orders 12", "customers_clean 0", "revenue ?"):
        assert word in result.output
    assert "NO_RULE: no delta rule for row_number()" in result.output
    assert "tables/ranked.sql:3:8" in result.output


def test_plan_fits_eighty_columns(invoke):
    result = invoke("plan", COLUMNS="80")
    assert max(len(line) for line in result.output.splitlines()) <= 80
    assert "DIFFERENTIAL" in result.output


def test_selection_and_offline_reach_the_project(invoke, project):
    invoke("plan", "--offline", "--select", "+revenue tag:x", "--select", "b", "--exclude", "ranked")
    assert ("plan", (True, ("+revenue", "tag:x", "b"), ("ranked",))) in project.asked


def test_run_in_a_pipe_prints_a_line_for_each_finished_step(invoke, project):
    project.steps = (
        Progress("table", "revenue", "running"),
        Progress("source", "shop.orders", "ok", rows=12, seconds=0.02),
        Progress("table", "revenue", "ok", "DIFFERENTIAL", "12 rows changed", 5, 0.41),
    )
    result = invoke("run", "--full-refresh", "--exclude", "ranked")
    assert result.exit_code == 0
    assert ("run", ((), ("ranked",), True)) in project.asked
    lines = result.output.splitlines()
    assert lines[0].split()[:4] == ["ok", "source", "shop.orders", "12"]
    assert lines[1].split()[:4] == ["ok", "DIFFERENTIAL", "revenue", "5"]
    assert "running" not in result.output
    assert lines[-1] == "done  epoch 4; 1 DIFFERENTIAL  (run r1)"


def test_a_failed_run_names_what_failed_and_exits_one(invoke, project):
    failed = TableRun("revenue", ChosenMode.FULL, "no baseline", 0, 0, 0.1, RunStatus.ERROR, "password=hunter2 is bad")
    skipped = TableRun("ranked", None, "upstream failed", 0, 0, 0.0, RunStatus.SKIPPED)
    gone = SourceRun("shop.gone", "", 0, 0.0, RunStatus.ERROR, "", "table is missing")
    project.run_report = RunReport("r2", 4, False, (failed, skipped), (gone,))
    result = invoke("run")
    assert result.exit_code == 1
    assert "shop.gone: table is missing" in result.output
    assert "revenue: password=*** is bad" in result.output
    assert "failed: shop.gone, revenue" in result.output
    assert "skipped: ranked" in result.output


def test_the_live_table_shows_running_steps_with_their_time():
    out = Console(file=io.StringIO(), force_terminal=True, width=80)
    with LiveReporter(out) as live:
        live(Progress("source", "shop.orders", "ok", rows=12, seconds=0.5))
        live(Progress("table", "revenue", "running", "DIFFERENTIAL", "12 rows changed"))
        plain = Console(file=io.StringIO(), width=80)
        plain.print(live.table())
    shown = plain.file.getvalue()
    assert "shop.orders" in shown
    assert "running" in shown
    assert "DIFFERENTIAL" in shown


def test_status_shows_unknown_figures_as_a_dash(invoke):
    lines = invoke("status").output.splitlines()
    assert any(line.split()[:3] == ["shop.orders", "trigger", "STREAMING"] for line in lines)
    assert any(line.split() == ["far.x", "auto", "?", "-", "-"] for line in lines)


def test_verify_prints_differing_rows_and_exits_one(invoke, project):
    assert invoke("verify", "--select", "revenue", "--source", "--limit", "5").output.endswith("all equal\n")
    assert ("verify", (("revenue",), (), True, 5)) in project.asked
    project.verifications = (Verification("revenue", False, 4, "mirrors", ("region", "difference"), (("EU", -1),)),)
    result = invoke("verify")
    assert result.exit_code == 1
    assert any(line.split() == ["EU", "-1"] for line in result.output.splitlines())
    assert result.output.endswith("differs: revenue\n")


def test_doctor_prints_the_fix_of_a_failed_check(invoke, project):
    assert invoke("doctor").exit_code == 0
    project.checks = (Check("java", False, "not found", "install Java 17"),)
    result = invoke("doctor")
    assert result.exit_code == 1
    assert "fix: install Java 17" in result.output


def test_show_sorts_rows_limits_them_and_says_so(invoke):
    result = invoke("show", "revenue", "--limit", "2")
    lines = result.output.splitlines()
    assert lines[0].split() == ["region", "revenue", "at", "share", "n"]
    assert "EU, west" in lines[2]
    assert lines[-1] == "2 of 3 rows"


def test_show_spells_out_control_characters_of_the_data(invoke, project):
    project.result = pa.table({"a": ["\x1b[31mred\nline", "[bold]x[/bold]"]})
    output = invoke("show", "revenue").output
    assert r"\x1b[31mred\nline" in output
    assert "[bold]x[/bold]" in output


def test_show_turns_many_columns_into_records(invoke, project):
    project.result = pa.table({f"column_{i}": [i] for i in range(30)})
    output = invoke("show", "revenue", COLUMNS="80").output
    assert "row 1" in output
    assert any(line.split() == ["column_29", "29"] for line in output.splitlines())


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("ls",), "customers_clean\nrevenue\n"),
        (("compile",), "target/revenue.sql\n"),
        (("history",), "revenue"),
        (("explain", "revenue"), "└── Scan orders\n\n-- delta\nSELECT 1 AS x\n"),
        (("init", "shop"), "created shop"),
    ],
)
def test_small_commands_print_their_answer(invoke, args, expected):
    result = invoke(*args)
    assert result.exit_code == 0
    assert expected in result.output


def test_history_of_a_new_project_is_empty(invoke, project):
    project.history_rows = pa.table({"table": pa.array([], pa.string())})
    assert invoke("history").output == "no runs yet\n"
