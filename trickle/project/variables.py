"""Variables from the command line: `{a: 1}` or `a=1`."""

from __future__ import annotations

import re

import yaml

from trickle.errors import ProjectError

_ASSIGNMENT = re.compile(r"\s*([A-Za-z_]\w*)=(.*)", re.DOTALL)
_HINT = "write --vars '{name: value, other: 2}' or --vars name=value"


def parse_vars(text: str) -> dict[str, object]:
    """Read the value of one `--vars` option; values are YAML, so `1` is a number and `'1'` is text."""
    assignment = _ASSIGNMENT.fullmatch(text)
    if assignment:
        name, value = assignment.groups()
        return {name: _yaml(value)}
    parsed = _yaml(text) if text.strip() else {}
    if not isinstance(parsed, dict) or not all(isinstance(name, str) for name in parsed):
        raise ProjectError("--vars must be a mapping of names to values", hint=_HINT)
    return parsed


def _yaml(text: str) -> object:
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError) as error:
        raise ProjectError("--vars cannot be read as YAML", hint=_HINT) from error
