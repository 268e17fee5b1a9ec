"""Where each Delta table of a lake lives below its root.

    <root>/<schema>/<table>/            current rows, exactly the relation's columns
    <root>/_changes/<schema>/<table>/   change log: epoch, weight, the relation's columns
    <root>/_state/<schema>/<table>/<node>/   operator state, a change log only
    <root>/_trickle/epochs, history     cuts and runs; trash holds what is being deleted

Letters, digits, `-`, `_` and `.` stand for themselves in a folder name, every other byte is written `~XX`. A percent
sign would not do: Delta readers take paths for URLs and decode it.
"""

from __future__ import annotations

import os
import string
import uuid
from dataclasses import dataclass

from trickle.errors import ProjectError
from trickle.model.names import Name, RelationName, StateName

STAGING_PREFIX = "trickle-"

_PLAIN = frozenset(string.ascii_letters + string.digits + "-_.")
_UNREACHABLE = "%?#*"


def folder(part: str) -> str:
    """A name as one path component; a leading dot or underscore is escaped, since readers take those for hidden."""
    escaped = "".join(char if char in _PLAIN else "".join(f"~{byte:02X}" for byte in char.encode()) for char in part)
    return f"~{ord(part[0]):02X}{escaped[1:]}" if part[0] in "._" else escaped


def local_root(root: str) -> str:
    """The lake's root as an absolute path; refuses what Delta readers could not open."""
    if "://" in root:
        raise ProjectError(f'lake "{root}": only local paths are supported', hint="use a path on a local disk")
    path = os.path.abspath(os.path.expanduser(root))
    bad = sorted(set(path) & set(_UNREACHABLE))
    if bad:
        raise ProjectError(
            f'lake "{root}": the path holds {" ".join(bad)}',
            detail="Delta readers take paths for URLs, so these characters name another place.",
            hint="move the project to a path without them",
        )
    return path


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths of one lake."""

    root: str

    def table(self, name: RelationName) -> str:
        return os.path.join(self.root, _schema_folder(name), folder(name.table))

    def log(self, name: Name) -> str:
        if isinstance(name, StateName):
            return os.path.join(self.states(name.table), folder(name.node))
        return os.path.join(self.changes, _schema_folder(name), folder(name.table))

    def states(self, name: RelationName) -> str:
        """The folder of all operator state of one table."""
        return os.path.join(self.root, "_state", _schema_folder(name), folder(name.table))

    @property
    def changes(self) -> str:
        return os.path.join(self.root, "_changes")

    @property
    def epochs(self) -> str:
        return os.path.join(self.root, "_trickle", "epochs")

    @property
    def history(self) -> str:
        return os.path.join(self.root, "_trickle", "history")

    @property
    def trash(self) -> str:
        return os.path.join(self.root, "_trickle", "trash")


def staging_in(table: str) -> str:
    """A fresh folder inside a table for files that are not committed yet."""
    return os.path.join(table, f"{STAGING_PREFIX}{uuid.uuid4().hex}")


def _schema_folder(name: RelationName) -> str:
    if name.schema.startswith("_"):
        raise ProjectError(
            f'relation "{name}": schema "{name.schema}" begins with an underscore',
            hint="folders that begin with an underscore belong to the lake itself; choose another schema",
        )
    return folder(name.schema)
