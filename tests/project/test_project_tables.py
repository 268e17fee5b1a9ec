"""`tables/**`: rendering, settings, inputs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from small_project import SETTINGS, SmallProject

from trickle.model.names import RelationName
from trickle.model.stream_table import RefreshMode

Render = Callable[..., str]


def test_inputs_come_in_order_of_first_use(project: SmallProject) -> None:
    sql = (
        "select 1 from {{ ref('good') }} g, {{ source('shop', 'customers') }} c, {{ ref('good') }} h,"
        " {{ source('shop', 'orders') }} o"
    )
    table = project.load({"tables/deep/er/probe.sql": sql}).tables[0]
    assert [str(name) for name in table.inputs] == ["good", "shop.customers", "shop.orders"]
    assert table.raw == sql
    assert table.location.file == "tables/deep/er/probe.sql"


def test_names_are_quoted_in_the_dialect(project: SmallProject) -> None:
    assert "from `shop`.`orders`" in project.load().tables[0].sql
    settings = SETTINGS + "dialect: postgres\n"
    assert 'from "shop"."orders"' in project.load({"trickle.yml": settings}).tables[0].sql


def test_quotes_inside_names_are_doubled(project: SmallProject) -> None:
    sources = "sources:\n  - name: shop\n    tables: ['or`ders']\n"
    files = {"sources/shop.yml": sources, "tables/good.sql": "select 1 from {{ source('shop', 'or`ders') }}"}
    assert project.load(files).tables[0].sql == "select 1 from `shop`.`or``ders`"


def test_ref_names_the_configured_schema(project: SmallProject) -> None:
    files = project.load(
        {
            "tables/a.sql": "{{ config(schema='marts') }}select 1 from {{ ref('good') }} -- {{ this }}",
            "tables/b.sql": "select 1 from {{ ref('a') }}",
        }
    )
    a, b, _ = files.tables
    assert a.name == RelationName("marts", "a")
    assert a.sql.endswith("-- `marts`.`a`")
    assert b.sql == "select 1 from `marts`.`a`"
    assert b.inputs == (RelationName("marts", "a"),)


def test_settings_in_sql_win_over_yaml_and_defaults(project: SmallProject) -> None:
    files = project.load(
        {
            "trickle.yml": SETTINGS + "defaults: {schedule: 1h, refresh_mode: full}\n",
            "tables/good.sql": "{{ config(schedule='30s', tags='b') }}select 1 as a",
            "tables/good.yml": "tables:\n  - name: good\n    description: fine\n"
            "    columns: [{name: a, description: one}]\n"
            "    config: {schedule: downstream, refresh_mode: differential, tags: [a, b]}\n",
        }
    )
    table = files.tables[0]
    assert (table.schedule, table.refresh_mode) == ("30s", RefreshMode.DIFFERENTIAL)
    assert table.tags == ("a", "b")
    assert table.description == "fine"
    assert files.column_docs == {table.name: {"a": "one"}}


def test_macros_are_shared_and_may_use_each_other(project: SmallProject) -> None:
    files = {
        "macros/a.sql": "{% macro outer(x) %}{{ inner(x) }} + 1{% endmacro %}",
        "macros/b.sql": "{% macro inner(x) %}{{ x }} * {{ var('factor') }}{% endmacro %}"
        "{% macro src() %}{{ source('shop', 'customers') }}{% endmacro %}",
        "tables/good.sql": "select {{ outer('id') }} as a from {{ src() }}",
    }
    loaded = project.load(files, factor=3)
    assert loaded.tables[0].sql == "select id * 3 + 1 as a from `shop`.`customers`"
    assert loaded.tables[0].inputs == (RelationName("shop", "customers"),)
    assert set(loaded.macros) == {"outer", "inner", "src"}


def test_lines_stay_where_they_are(render: Render) -> None:
    sql = "{# a\n comment #}\n{{ config(\n  schedule='5m'\n) }}\nselect 1 as a"
    assert render(sql).splitlines().index("select 1 as a") == sql.splitlines().index("select 1 as a")


def test_templates_may_loop_and_set(render: Render) -> None:
    sql = "{% set names = [] %}{% do names.append('a') %}"
    sql += "select {% for n in names %}{{ n }}{% endfor %} from {{ ref('good') }}"
    assert render(sql) == "select a from `main`.`good`"


def test_a_template_cannot_change_a_variable_for_others(project: SmallProject) -> None:
    sql = "{% do var('names').append('x') %}select {{ var('names') | length }} as n"
    files = project.load({"tables/good.sql": sql, "tables/other.sql": sql}, names=["a"])
    assert {table.sql for table in files.tables} == {"select 1 as n"}


@pytest.mark.parametrize(
    "sql",
    [
        "select {{ ''.__class__.__mro__ }}",
        "select {{ config.__globals__ }}",
        "select {{ range(10000000) | list }}",
        "select {{ 1 / 0 }}",
        "select {{ [1][5] }}",
        "select {{ missing.attribute }}",
        "select {{ 'a' | nofilter }}",
        "select {{ lipsum() }}",
        "select {{ [1, 2] | random }}",
        "{% include 'nothing.sql' %}",
        "select {{ ref(1) }}",
        "select {{ ref() }}",
        "select {{ source('', '') }}",
        "{{ config('full') }}select 1",
        "{% macro f() %}{{ f() }}{% endmacro %}select {{ f() }}",
        "select {{",
        "select {% if %}",
        "select {{ 'x",
    ],
)
def test_a_wrong_template_is_an_error_in_its_file(project: SmallProject, sql: str) -> None:
    assert str(project.error({"tables/probe.sql": "\n" + sql})).startswith("tables/probe.sql:2:")


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("tags=[1]", "tags[0]: must be text, not a number"),
        ("tags=3", "must be a list or text"),
        ("schema='_state'", "must begin with a letter"),
        ("schema='a.b'", "must begin with a letter"),
        ("schedule='0s'", "is not a schedule"),
        ("schedule='* * * * * *'", "is not a schedule"),
        ("schedule=5", "must be text"),
        ("cdc_mode='wal'", 'unknown key "cdc_mode"'),
        ("refresh_mode=none", "is not one of"),
        ("refresh_mode='{{full'", "is not one of"),
    ],
)
def test_wrong_settings_are_refused_at_the_setting(project: SmallProject, config: str, message: str) -> None:
    error = project.error({"tables/probe.sql": f"select 1 -- {{{{ config({config}) }}}}"})
    assert message in str(error)
    assert str(error.location) == "tables/probe.sql:1:23"


def test_settings_may_be_computed(project: SmallProject) -> None:
    sql = "{{ config(schedule=var('minutes') ~ 'm') }}select 1 as a"
    assert project.load({"tables/good.sql": sql}, minutes=9).tables[0].schedule == "9m"


def test_names_that_differ_by_case_are_one_name(project: SmallProject) -> None:
    assert 'duplicate stream table "Good"' in str(project.error({"tables/x/Good.sql": "select 1"}))


def test_hidden_and_other_files_are_left_alone(project: SmallProject) -> None:
    files = project.load({"tables/.#good.sql": "{{", "tables/readme.md": "{{", "tests/t.sql": "select 1"})
    assert [str(table.name) for table in files.tables] == ["good"]
    assert [path.name for path in files.tests] == ["t.sql"]


def test_a_byte_order_mark_and_windows_lines_are_read(project: SmallProject) -> None:
    (project.root / "tables/good.sql").write_bytes(b"\xef\xbb\xbfselect 1 as a\r\nfrom x\r\n")
    assert project.load().tables[0].sql == "select 1 as a\nfrom x\n"


def test_immediate_points_at_where_it_was_said(project: SmallProject) -> None:
    error = project.error({"tables/p.yml": "tables:\n  - name: good\n    config: {refresh_mode: immediate}\n"})
    assert str(error.location) == "tables/p.yml:2:5"
    (project.root / "tables/p.yml").unlink()
    error = project.error({"trickle.yml": SETTINGS + "defaults: {refresh_mode: immediate}\n"})
    assert str(error.location) == "trickle.yml:1:1"
