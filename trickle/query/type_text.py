"""A Spark type as text, put together and taken apart: `array<int>`, `map<string,int>`, `struct<a:int>`."""

from __future__ import annotations

import re
from collections.abc import Iterator

_PLAIN_NAME = re.compile(r"\w+")


def array_of(element: str) -> str:
    """The array of a known type; nothing of nothing."""
    return f"array<{element}>" if element else ""


def map_of(key: str, value: str) -> str:
    """The map of two known types."""
    return f"map<{key},{value}>" if key and value else ""


def struct_of(fields: list[tuple[str, str]]) -> str:
    """The struct of fields whose names need no quoting and whose types are known."""
    plain = fields and all(type_ and _PLAIN_NAME.fullmatch(name) for name, type_ in fields)
    return f"struct<{','.join(f'{name}:{type_}' for name, type_ in fields)}>" if plain else ""


def _inside(type_: str, kind: str) -> str:
    return type_[len(kind) + 1 : -1] if type_.startswith(f"{kind}<") else ""


def _parts(text: str) -> Iterator[str]:
    """What the commas outside all brackets separate."""
    depth = start = 0
    for i, letter in enumerate(text):
        depth += (letter in "<(") - (letter in ">)")
        if letter == "," and not depth:
            yield text[start:i]
            start = i + 1
    if text:
        yield text[start:]


def element_of(type_: str) -> str:
    """The type of an array's elements."""
    return _inside(type_, "array")


def key_of(type_: str) -> str:
    """The type of a map's keys."""
    return next(_parts(_inside(type_, "map")), "")


def value_of(type_: str) -> str:
    """The type of a map's values."""
    return next(iter(list(_parts(_inside(type_, "map")))[1:]), "")


def fields_of(type_: str) -> list[str]:
    """The types of a struct's fields, in order."""
    return [part.partition(":")[2] for part in _parts(_inside(type_, "struct"))]


def field_of(type_: str, name: str) -> str:
    """The type of one field of a struct, found without regard to case."""
    for part in _parts(_inside(type_, "struct")):
        field, _, inner = part.partition(":")
        if field.lower() == name.lower():
            return inner
    return ""
