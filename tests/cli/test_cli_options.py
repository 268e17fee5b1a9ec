"""Options that every command shares, and commands that change things."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "args",
    [
        ("--project-dir", "shop", "--target", "prod", "--vars", "{a: 1}", "ls"),
        ("ls", "--project-dir", "shop", "--target", "prod", "--vars", '{"a": 1}'),
        ("--project-dir", "other", "--vars", "{a: 2}", "ls", "--project-dir", "shop", "--target=prod", "--vars=a: 1"),
    ],
)
def test_global_options_stand_before_or_after_the_command(invoke, project, args):
    assert invoke(*args).exit_code == 0
    assert project.asked[0] == ("load", ("shop", "prod", {"a": 1}))


def test_variables_given_several_times_add_up(invoke, project):
    invoke("--vars", "{a: 1, b: 2}", "ls", "--vars", "b: 3", "--vars", "c: x")
    assert project.asked[0][1][2] == {"a": 1, "b": 3, "c": "x"}


def test_the_db_group_takes_global_options_at_each_level(invoke, project):
    invoke("--target", "dev", "db", "--connection", "shop", "stop", "--project-dir", "shop")
    assert project.asked == [("load", ("shop", "dev", {})), ("database", "shop"), ("stop", None)]


def test_init_writes_below_the_project_directory(invoke):
    assert "  work/shop/shop.yml" in invoke("--project-dir", "work", "init", "shop").output


def test_drop_asks_first(invoke, project):
    assert invoke("drop", "revenue", stdin="n\n").exit_code == 1
    assert ("drop", "revenue") not in project.asked
    assert invoke("drop", "revenue", stdin="y\n").exit_code == 0
    assert ("drop", "revenue") in project.asked


def test_drop_without_an_answer_changes_nothing(invoke, project):
    assert invoke("drop", "--all", stdin="").exit_code == 130
    assert ("drop", None) not in project.asked


def test_drop_all_with_yes_does_not_ask(invoke, project):
    result = invoke("drop", "--all", "--yes")
    assert result.output == "dropped everything\n"
    assert ("drop", None) in project.asked


def test_db_url_hides_the_password(invoke):
    assert invoke("db", "url").output == "postgresql://shop:***@127.0.0.1:5432/shop\n"


def test_db_exec_prints_the_rows_of_a_query(invoke):
    lines = invoke("db", "exec", "select 1").output.splitlines()
    assert lines[0].split() == ["id", "name"]
    assert lines[2].split() == ["1", "Ada"]
    assert lines[-1] == "1 row"


def test_db_exec_reads_statements_from_a_file_or_stdin(invoke, project, tmp_path):
    (tmp_path / "changes.sql").write_text("delete from orders")
    assert invoke("db", "exec", "-f", "changes.sql").output == "done\n"
    assert invoke("db", "exec", "-f", "-", stdin="truncate orders").output == "done\n"
    assert [what for name, what in project.asked if name == "execute"] == ["delete from orders", "truncate orders"]


def test_every_command_takes_the_global_options(invoke):
    commands = invoke("--help").output.split("Commands:")[1].split("\n")
    names = [line.split()[0] for line in commands if line.startswith("  ")]
    assert len(names) == 13
    for name in names:
        listed = invoke(name, "--help").output
        assert all(option in listed for option in ("--project-dir", "--target", "--vars"))


def test_help_loads_nothing_heavy():
    heavy = ("pyarrow", "pyspark", "sqlglot", "deltalake", "psycopg2", "rich", "yaml")
    code = (
        "import sys; from trickle.cli.main import cli; cli(['--help'], standalone_mode=False);"
        f"sys.exit(','.join(set({heavy!r}) & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert found.stderr.strip() == ""
