"""Read `tables/**/*.yml`: what is said about stream tables beside their SQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from trickle.errors import Location
from trickle.model.suggest import did_you_mean
from trickle.project.schedule import SCHEDULE_HINT, schedule_problem
from trickle.project.schema_check import check_yaml
from trickle.project.text import FileText
from trickle.project.yaml_file import YamlFile, read_yaml


@dataclass(frozen=True, slots=True)
class Properties:
    """Description, settings and documented columns of one stream table, and where they are written."""

    description: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    location: Location | None = None


def load_properties(files: Sequence[FileText], tables: Iterable[str]) -> dict[str, Properties]:
    """The properties of each stream table that has some, by name."""
    known = set(tables)
    found: dict[str, Properties] = {}
    for file in files:
        yaml_file = read_yaml(file)
        check_yaml(yaml_file, "tables")
        for number, entry in enumerate(cast("dict[str, Any]", yaml_file.value)["tables"]):
            path = ("tables", number, "name")
            name = entry["name"]
            if name not in known:
                hint = did_you_mean(name, known, "known stream tables")
                raise yaml_file.error(f'stream table "{name}" does not exist', path, hint=hint)
            if name in found:
                hint = f"it is also described at {found[name].location}"
                raise yaml_file.error(f'stream table "{name}" is described twice', path, hint=hint)
            found[name] = _properties(yaml_file, entry, number)
    return found


def _properties(yaml_file: YamlFile, entry: Mapping[str, Any], number: int) -> Properties:
    config = entry.get("config", {})
    schedule = config.get("schedule", "1m")
    if schedule_problem(schedule):
        path = ("tables", number, "config", "schedule")
        raise yaml_file.error(f"schedule: {schedule_problem(schedule)}", path, hint=SCHEDULE_HINT)
    return Properties(
        description=entry.get("description", config.get("description", "")),
        config=config,
        columns={column["name"]: column.get("description", "") for column in entry.get("columns", [])},
        location=yaml_file.value_location(("tables", number)),
    )
