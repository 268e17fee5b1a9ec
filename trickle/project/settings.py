"""Read `trickle.yml`: the project's settings for one target."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import yaml

from trickle.errors import Location, ProjectError
from trickle.model.stream_table import CdcMode, Connection, Dialect, RefreshMode
from trickle.model.suggest import did_you_mean
from trickle.project.files import Defaults, ProjectSettings, SparkSettings
from trickle.project.functions import Values
from trickle.project.schedule import SCHEDULE_HINT, schedule_problem
from trickle.project.schema_check import check_yaml
from trickle.project.template import render_value
from trickle.project.text import FileText, read_text
from trickle.project.yaml_file import YamlFile, child, compose, construct, render_scalars

PROJECT_FILE = "trickle.yml"


def load_settings(root: Path, target: str | None, values: Values) -> ProjectSettings:
    """Read the settings of the chosen target; other targets are checked but their templates are not rendered."""
    file = _read_project_file(root)
    node = compose(file)
    all_values = _with_project_vars(file, node, values)
    chosen = _chosen_target(file, node, target, all_values)
    _render_settings(file, node, chosen, all_values)
    yaml_file = construct(file, node)
    check_yaml(yaml_file, "trickle")
    return _settings(root, yaml_file, chosen, all_values.variables)


def _read_project_file(root: Path) -> FileText:
    if (root / PROJECT_FILE).is_file():
        return read_text(root, root / PROJECT_FILE)
    hint = "run trickle init NAME for a new project, or pass --project-dir"
    if (root / "trickle.yaml").exists():
        hint = f"rename trickle.yaml to {PROJECT_FILE}"
    raise ProjectError(f"no {PROJECT_FILE} in {root}", hint=hint)


def _render(file: FileText, node: yaml.Node | None, values: Values) -> None:
    def render(text: str, where: Location) -> str:
        return render_value(text, file, where, values.functions())

    if node is not None:
        render_scalars(file, node, render)


def _with_project_vars(file: FileText, node: yaml.Node, values: Values) -> Values:
    declared = child(node, "vars")
    _render(file, declared, values)
    if not isinstance(declared, yaml.MappingNode):
        return values
    defaults = cast("dict[str, object]", construct(file, declared).value)
    return Values({**defaults, **values.variables}, values.environ)


def _chosen_target(file: FileText, node: yaml.Node, target: str | None, values: Values) -> str:
    declared, targets = child(node, "target"), child(node, "targets")
    _render(file, declared, values)
    if not isinstance(targets, yaml.MappingNode):
        return target or ""
    names = [key.value for key, _ in targets.value]
    if target is not None:
        chosen, where = target, targets.start_mark
    elif isinstance(declared, yaml.ScalarNode):
        chosen, where = declared.value, declared.start_mark
    elif len(names) == 1:
        return str(names[0])
    else:
        raise file.error("no target is chosen", 0, hint="add `target:` to trickle.yml, or pass --target")
    if chosen not in names:
        location = Location(file.path, where.line + 1, where.column + 1)
        raise file.error(f'target "{chosen}" does not exist', location, hint=did_you_mean(chosen, names, "targets"))
    return str(chosen)


def _render_settings(file: FileText, node: yaml.Node, chosen: str, values: Values) -> None:
    if not isinstance(node, yaml.MappingNode):
        return
    for key, value in node.value:
        _render(file, child(value, chosen) if key.value == "targets" else value, values)


def _settings(root: Path, yaml_file: YamlFile, chosen: str, variables: Mapping[str, object]) -> ProjectSettings:
    value = cast("dict[str, Any]", yaml_file.value)
    target = value["targets"][chosen]
    return ProjectSettings(
        root=root,
        name=value["name"],
        dialect=Dialect(value.get("dialect", "spark")),
        lake=_lake(root, target.get("lake") or value.get("lake", "./lake")),
        target=chosen,
        connections={
            name: _connection(root, yaml_file, chosen, name, settings)
            for name, settings in target["connections"].items()
        },
        spark=_spark(target.get("spark", {})),
        defaults=_defaults(yaml_file, value.get("defaults", {})),
        variables=variables,
    )


def _lake(root: Path, lake: str) -> str:
    return lake if "://" in lake else str((root / Path(lake).expanduser()).resolve())


def _connection(root: Path, yaml_file: YamlFile, target: str, name: str, settings: Mapping[str, Any]) -> Connection:
    seed = settings.get("seed", "")
    if seed and not (root / seed).is_file():
        path = ("targets", target, "connections", name, "seed")
        raise yaml_file.error(f'seed file "{seed}" does not exist', path, hint="paths are relative to the project")
    return Connection(
        name=name,
        dsn=settings.get("dsn", ""),
        embedded=settings.get("embedded", False),
        seed=str((root / seed).resolve()) if seed else "",
    )


def _spark(settings: Mapping[str, Any]) -> SparkSettings:
    conf = {
        key: str(value).lower() if isinstance(value, bool) else str(value)
        for key, value in settings.get("conf", {}).items()
    }
    return SparkSettings(settings.get("master", "local[*]"), settings.get("remote", ""), conf)


def _defaults(yaml_file: YamlFile, settings: Mapping[str, str]) -> Defaults:
    schedule = settings.get("schedule", "1m")
    if schedule_problem(schedule):
        message = f"defaults.schedule: {schedule_problem(schedule)}"
        raise yaml_file.error(message, ("defaults", "schedule"), hint=SCHEDULE_HINT)
    return Defaults(
        refresh_mode=RefreshMode(settings.get("refresh_mode", "auto")),
        exact_floats=bool(settings.get("exact_floats", False)),
        cdc_mode=CdcMode(settings.get("cdc_mode", "auto")),
        schedule=schedule,
    )
