"""Removing tables: moved aside in one step first, so that nobody ever sees half a table."""

from __future__ import annotations

import os
import shutil
import uuid

from deltalake import DeltaTable

from trickle.lake.layout import STAGING_PREFIX, Layout
from trickle.lake.marks import BASE


def remove(layout: Layout, path: str) -> None:
    """Remove one folder of the lake, and its parent when that is empty then."""
    if not os.path.isdir(path):
        return
    os.makedirs(layout.trash, exist_ok=True)
    aside = os.path.join(layout.trash, uuid.uuid4().hex)
    os.rename(path, aside)
    shutil.rmtree(aside, ignore_errors=True)
    _remove_empty(os.path.dirname(path), layout.root)


def remove_all(layout: Layout) -> None:
    """Remove everything the lake made, and no folder it does not know."""
    for path in _own_tables(layout):
        remove(layout, path)
    for folder in ("_changes", "_state", "_trickle"):
        shutil.rmtree(os.path.join(layout.root, folder), ignore_errors=True)
    if os.path.isdir(layout.root) and not os.listdir(layout.root):
        os.rmdir(layout.root)


def _own_tables(layout: Layout) -> list[str]:
    if not os.path.isdir(layout.root):
        return []
    schemas = [entry.path for entry in os.scandir(layout.root) if entry.is_dir() and entry.name[0] not in "_."]
    tables = [entry.path for schema in schemas for entry in os.scandir(schema) if entry.is_dir()]
    return [path for path in tables if _is_own(path)]


def _is_own(path: str) -> bool:
    """A Delta table with our mark, or a folder with nothing but files we staged before its first commit."""
    if os.path.isdir(os.path.join(path, "_delta_log")):
        return DeltaTable.is_deltatable(path) and DeltaTable(path).transaction_version(BASE) is not None
    entries = os.listdir(path)
    return bool(entries) and all(entry.startswith(STAGING_PREFIX) for entry in entries)


def _remove_empty(path: str, root: str) -> None:
    if path != root and os.path.isdir(path) and not os.listdir(path):
        os.rmdir(path)
