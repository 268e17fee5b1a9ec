"""`trickle.yml`: targets, connections, variables, secrets."""

from __future__ import annotations

import pytest
from small_project import SETTINGS, SmallProject

from trickle.model.stream_table import CdcMode, Dialect, RefreshMode

TWO_TARGETS = """\
name: shop
dialect: postgres
lake: ./warehouse
target: dev
targets:
  dev:
    connections: {shop: {embedded: true, seed: seed.sql}}
  prod:
    lake: s3://bucket/lake
    connections: {shop: {dsn: "{{ env_var('SHOP_DSN') }}"}}
    spark: {remote: "sc://spark:15002", conf: {spark.sql.shuffle.partitions: 8, spark.ui.enabled: false}}
defaults: {refresh_mode: full, cdc_mode: trigger, schedule: "0 6 * * *"}
vars: {region: north, limit: 10}
"""


def test_defaults_of_a_short_project(project: SmallProject) -> None:
    files = project.load()
    assert (files.name, files.target, files.dialect) == ("shop", "dev", Dialect.SPARK)
    assert files.lake == str(project.root / "lake")
    assert files.spark.master == "local[*]"
    assert files.connections["shop"].embedded
    assert files.sources[0].cdc_mode is CdcMode.AUTO
    assert files.tables[0].schedule == "1m"


def test_the_declared_target_is_used_without_the_environment_of_others(project: SmallProject) -> None:
    files = project.load({"trickle.yml": TWO_TARGETS, "seed.sql": "select 1"})
    assert files.target == "dev"
    assert files.connections["shop"].seed == str(project.root / "seed.sql")
    assert files.lake == str(project.root / "warehouse")
    assert files.defaults.refresh_mode is RefreshMode.FULL
    assert files.tables[0].refresh_mode is RefreshMode.FULL
    assert files.sources[0].cdc_mode is CdcMode.TRIGGER


def test_a_chosen_target_reads_its_environment(project: SmallProject) -> None:
    environ = {"SHOP_DSN": "postgresql://bob:hunter2@db/shop"}
    files = project.load({"trickle.yml": TWO_TARGETS}, target="prod", environ=environ)
    assert files.connections["shop"].dsn == environ["SHOP_DSN"]
    assert files.lake == "s3://bucket/lake"
    assert files.spark.remote == "sc://spark:15002"
    assert files.spark.conf == {"spark.sql.shuffle.partitions": "8", "spark.ui.enabled": "false"}


def test_secrets_are_in_no_repr(project: SmallProject) -> None:
    environ = {"SHOP_DSN": "postgresql://bob:hunter2@db/shop"}
    files = project.load({"trickle.yml": TWO_TARGETS}, target="prod", environ=environ, key="hunter2")
    assert "hunter2" not in repr(files)


@pytest.mark.parametrize(
    "line",
    [
        "dsn: postgresql://bob:hunter2@db/shop",
        "dsn: 'host=db password=hunter2'",
        "dsn: host=db password=hunter2",
        "password: hunter2",
        "spark.hadoop.fs.s3a.secret.key: hunter2",
        "lake: s3://bob:hunter2@store/lake",
    ],
)
def test_a_wrong_line_is_shown_without_its_secret(project: SmallProject, line: str) -> None:
    error = project.error({"trickle.yml": SETTINGS + f"  prod:\n    connection: {{{line}}}\n    {line}\n"})
    assert "hunter2" not in str(error)


def test_command_line_variables_win_over_the_project(project: SmallProject) -> None:
    sql = "select {{ var('limit') }} as a, '{{ var('region') }}' as b, {{ var('more', 7) }} as c"
    settings = {"trickle.yml": TWO_TARGETS, "seed.sql": "", "tables/good.sql": sql}
    assert project.load(settings, region="south").tables[0].sql == "select 10 as a, 'south' as b, 7 as c"


def test_values_of_trickle_yml_are_rendered(project: SmallProject) -> None:
    settings = SETTINGS.replace("embedded: true", "embedded: \"{{ var('own', true) | lower }}\"")
    settings += "lake: \"{{ env_var('LAKE', './other') }}\"\n"
    files = project.load({"trickle.yml": settings}, environ={"LAKE": "/data/lake"})
    assert files.lake == "/data/lake"
    assert files.connections["shop"].embedded


def test_a_target_can_come_from_the_environment(project: SmallProject) -> None:
    settings = TWO_TARGETS.replace("target: dev", "target: \"{{ env_var('STAGE', 'dev') }}\"")
    environ = {"STAGE": "prod", "SHOP_DSN": "host=db"}
    assert project.load({"trickle.yml": settings}, environ=environ).target == "prod"


def test_several_targets_need_a_choice(project: SmallProject) -> None:
    error = project.error({"trickle.yml": TWO_TARGETS.replace("target: dev\n", ""), "seed.sql": ""})
    assert "no target is chosen" in str(error)


def test_a_folder_that_does_not_exist(project: SmallProject) -> None:
    project.root = project.root / "nowhere"
    assert "no folder" in str(project.error({}))


def test_anchors_and_merge_keys_work(project: SmallProject) -> None:
    settings = (
        "name: shop\ntarget: b\ntargets:\n  a: &a\n    connections: {shop: {embedded: true}}\n  b: {<<: *a, lake: x}\n"
    )
    assert project.load({"trickle.yml": settings}).connections["shop"].embedded


def test_an_anchor_inside_itself_is_refused(project: SmallProject) -> None:
    assert "an anchor contains itself" in str(project.error({"trickle.yml": SETTINGS + "vars: &v {a: *v}\n"}))


@pytest.mark.parametrize(
    "text", ["\x00", "a: [1", "a: 'x", "- \n-a: b: c", "{", "a: *b", "!!python/object:os.x {}", "2024-99-99"]
)
def test_broken_yaml_is_an_error_with_a_place(project: SmallProject, text: str) -> None:
    assert str(project.error({"trickle.yml": text})).startswith("trickle.yml:")
