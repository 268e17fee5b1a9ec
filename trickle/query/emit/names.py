"""What stored relations and the weight column are called in emitted SQL."""

from __future__ import annotations

import re
from collections.abc import Iterable

from trickle.model.names import LoopName, RelationName, ScanName, StageName, StateName
from trickle.model.schema import weight_column
from trickle.query.operators import Relation, Scan, Version, Within
from trickle.query.tree import walk


def _part(text: str) -> str:
    """A part of a view's name, with its separators escaped so that different names stay different."""
    return re.sub(r"[%.#@`~^]", lambda match: f"%{ord(match.group()):02X}", text)


def view_name(name: ScanName, version: Version | None = None, within: Within | None = None) -> str:
    """What a stored relation is called in SQL: one identifier, such as `shop.orders@new`."""
    relation = name if isinstance(name, RelationName) else name.table
    text = f"{_part(relation.schema)}.{_part(relation.table)}"
    if isinstance(name, StateName):
        text += f"#{_part(name.node)}"
    if isinstance(name, StageName):
        text += f"~{name.number}"
    if isinstance(name, LoopName):
        text += f"^{_part(name.name)}"
    text += f"@{version.value}" if version else ""
    keys = (f"{view_name(n, v)}.{_part(column)}" for n, v, column in within.keys) if within else ()
    return f"{text}@{_part(within.column)} in {' + '.join(keys)}" if within else text


def taken(relation: Relation) -> set[str]:
    """Every column name in sight of some subquery of a tree."""
    found: set[str] = set()
    for node in walk(relation):
        found.update(c.name for c in node.columns)
        found.update((*node.stored, *node.unread) if isinstance(node, Scan) else ())
    return found


def weight_name(relations: Iterable[Relation]) -> str:
    """A name for the weight column that no column of these trees, or of the views they read, has."""
    return weight_column(name for relation in relations for name in taken(relation))
