"""Write a new project: the example shop under another name, with the schemas that editors read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath

from trickle.errors import ProjectError

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_SCHEMA_FOLDER = PurePosixPath(".trickle/schemas")
_SCHEMA_COMMENT = re.compile(r"(?m)^# yaml-language-server: \$schema=\S*?([a-z]+\.schema\.json)$")
_MADE_BY_RUNS = {"__pycache__", "lake", "target"}
_GITIGNORE = """\
# The embedded database and the lake are made by `trickle run`; the schemas are for your editor.
/.trickle/*
!/.trickle/schemas/
/lake/
/target/
spark-warehouse/
"""


def scaffold(name: str, directory: Path) -> tuple[Path, ...]:
    """Write a project called `name` into a new or empty folder; returns the files it wrote."""
    _check(name, directory)
    texts = {**_example(name), **_schemas(), PurePosixPath(".gitignore"): _GITIGNORE}
    written = []
    for relative, text in sorted(texts.items()):
        path = directory / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        written.append(path)
    return tuple(written)


def _check(name: str, directory: Path) -> None:
    if not _NAME.fullmatch(name):
        hint = "begin with a letter; use letters, digits, - and _"
        raise ProjectError(f'"{name}" cannot name a project', hint=hint)
    if directory.exists() and not directory.is_dir():
        raise ProjectError(f"{directory} is a file", hint="choose another name")
    if directory.is_dir() and any(directory.iterdir()):
        raise ProjectError(f"the folder {directory} is not empty", hint="choose another name, or empty it first")


def _example(name: str) -> dict[PurePosixPath, str]:
    shop = resources.files("trickle.examples").joinpath("shop")
    texts = {path: _relocated(path, text) for path, text in _files(shop, PurePosixPath())}
    settings = PurePosixPath("trickle.yml")
    texts[settings] = texts[settings].replace("name: shop\n", f"name: {name}\n", 1)
    return texts


def _schemas() -> dict[PurePosixPath, str]:
    folder = resources.files("trickle.schemas")
    return {_SCHEMA_FOLDER / path: text for path, text in _files(folder, PurePosixPath()) if path.suffix == ".json"}


def _files(folder: Traversable, below: PurePosixPath) -> Iterator[tuple[PurePosixPath, str]]:
    for entry in folder.iterdir():
        if entry.name in _MADE_BY_RUNS or entry.name.startswith("."):
            continue
        if entry.is_dir():
            yield from _files(entry, below / entry.name)
        else:
            yield below / entry.name, entry.read_text(encoding="utf-8")


def _relocated(path: PurePosixPath, text: str) -> str:
    """Point the schema comment of a YAML file at the project's own copy."""
    up = "../" * (len(path.parts) - 1)
    return _SCHEMA_COMMENT.sub(rf"# yaml-language-server: $schema={up}{_SCHEMA_FOLDER}/\1", text)
