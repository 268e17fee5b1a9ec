"""Check project values against the JSON Schemas, and say in plain words what is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from trickle.model.suggest import did_you_mean
from trickle.project.yaml_file import YamlFile, is_template

_WORDS = {
    "string": "text",
    "object": "a mapping",
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a value: where in it, what, and what to do.

    `key` is set when a key itself is wrong; a `vague` problem is not worth telling beside one inside the same value.
    """

    path: tuple[str | int, ...]
    message: str
    hint: str = ""
    key: str = ""
    vague: bool = False


@cache
def schema(name: str) -> Mapping[str, Any]:
    """One of the schemas that ship with trickle: `trickle`, `sources` or `tables`."""
    text = resources.files("trickle.schemas").joinpath(f"{name}.schema.json").read_text(encoding="utf-8")
    loaded: Mapping[str, Any] = json.loads(text)
    return loaded


def problems(value: object, name: str, definition: str = "") -> list[Problem]:
    """What is wrong with a value, by a whole schema or one of its definitions."""
    from jsonschema import Draft202012Validator

    whole = schema(name)
    part = {"$defs": whole["$defs"], "$ref": f"#/$defs/{definition}"} if definition else whole
    found = Draft202012Validator(part).iter_errors(value)
    told = [problem for error in found if not _unrendered(error) for problem in _problems(error)]
    precise = [problem.path for problem in told if not problem.vague]
    return [
        problem
        for problem in told
        if not (problem.vague and any(path[: len(problem.path)] == problem.path for path in precise))
    ]


def _unrendered(error: Any) -> bool:
    """Whether this is a template of a target that was not chosen, whose value nobody knows."""
    return is_template(error.instance) and next(iter(error.absolute_path), "") == "targets"


def check_yaml(yaml_file: YamlFile, name: str) -> None:
    """Raise the problem that comes first in the file."""
    found = [(_place(yaml_file, problem), problem) for problem in problems(yaml_file.value, name)]
    if not found:
        return
    (_, _, location), problem = min(found, key=lambda pair: pair[0][:2])
    raise yaml_file.file.error(problem.message, location, hint=problem.hint)


def _place(yaml_file: YamlFile, problem: Problem) -> tuple[int, int, Any]:
    if problem.key:
        location = yaml_file.key_location((*problem.path, problem.key))
    else:
        location = yaml_file.value_location(problem.path)
    return location.line, location.column, location


def _problems(error: Any) -> Iterator[Problem]:
    path = tuple(error.absolute_path)
    subject = _subject(path)
    custom = str(error.schema.get("errorMessage", "")) if isinstance(error.schema, Mapping) else ""
    match error.validator:
        case "additionalProperties":
            yield from _unknown_keys(error, path)
        case "required":
            missing = [key for key in error.validator_value if key not in error.instance]
            yield Problem(path, f'{subject}missing key "{missing[0]}"', f"add `{missing[0]}:`", vague=True)
        case "type":
            yield Problem(path, f"{subject}{_type_message(error)}", _type_hint(error))
        case "enum":
            known = [str(choice) for choice in error.validator_value]
            message = f'{subject}"{error.instance}" is not one of {", ".join(known)}'
            yield Problem(path, message, did_you_mean(str(error.instance), known))
        case "minLength":
            yield Problem(path, f"{subject}must not be empty")
        case "pattern" if "propertyNames" in error.absolute_schema_path:
            yield Problem(path, f'key "{error.instance}" {custom}', key=str(error.instance))
        case _:
            yield Problem(path, f"{subject}{custom or 'is not allowed'}", vague=True)


def _unknown_keys(error: Any, path: tuple[str | int, ...]) -> Iterator[Problem]:
    known = set(error.schema.get("properties", {}))
    for key in error.instance:
        if key not in known:
            yield Problem(path, f'{_subject(path)}unknown key "{key}"', did_you_mean(key, known, "known keys"), key)


def _subject(path: tuple[str | int, ...]) -> str:
    """The dotted name of a value, such as `sources[0].tables: `; nothing for the whole file."""
    name = ""
    for step in path:
        name += f"[{step}]" if isinstance(step, int) else f".{step}" if name else step
    return f"{name}: " if name else ""


def _type_message(error: Any) -> str:
    wanted = error.validator_value
    kinds = [wanted] if isinstance(wanted, str) else list(wanted)
    return f"must be {' or '.join(_WORDS[kind] for kind in kinds)}, not {_kind(error.instance)}"


def _type_hint(error: Any) -> str:
    scalar = not isinstance(error.instance, (dict, list)) and error.instance is not None
    return "quote it" if scalar and "string" in error.validator_value else ""


def _kind(value: object) -> str:
    match value:
        case None:
            return "nothing"
        case bool():
            return str(value).lower()
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list():
            return "a list"
        case dict():
            return "a mapping"
        case _:
            return f"a {type(value).__name__}"
