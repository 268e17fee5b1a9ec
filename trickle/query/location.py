"""Where in its file a piece of a stream table's SQL stands.

sqlglot counts in the rendered text; people edit the file, which has Jinja in it. Lines are aligned by comparing the two
texts, and the offending token is then looked for on and around the aligned line.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from sqlglot import exp

from trickle.errors import Location
from trickle.model.stream_table import StreamTable


def _line_of(table: StreamTable, line: int) -> int:
    """The line of the file that the rendered line (from 0) came from."""
    rendered, raw = table.sql.splitlines(), table.raw.splitlines()
    matcher = SequenceMatcher(None, rendered, raw, autojunk=False)
    for _, start, end, raw_start, raw_end in matcher.get_opcodes():
        if start <= line < end:
            return min(raw_start + line - start, max(raw_end - 1, raw_start))
    return line


def _nearest(lines: list[str], token: str, line: int, column: int) -> tuple[int, int] | None:
    """The occurrence of the token as a word that is nearest to a line and column (from 0)."""
    word = re.compile(rf"(?<!\w){re.escape(token)}(?!\w)", re.IGNORECASE)
    found = [(number, match.start()) for number, text in enumerate(lines) for match in word.finditer(text)]
    return min(found, key=lambda at: (abs(at[0] - line), abs(at[1] - column)), default=None)


def at_offset(table: StreamTable, start: int, end: int) -> Location:
    """The place in the file of `table.sql[start:end]`."""
    before = table.sql[:start]
    line, column = before.count("\n"), start - (before.rfind("\n") + 1)
    if table.raw and table.raw != table.sql:
        line = _line_of(table, line)
        token = table.sql[start:end].strip()
        hit = _nearest(table.raw.splitlines(), token, line, column) if token else None
        line, column = hit or (line, column)
    return Location(table.location.file, line + 1, column + 1)


def snippet(table: StreamTable, location: Location) -> str:
    """The line of the file with a caret under the column."""
    lines = (table.raw or table.sql).splitlines()
    if location.line > len(lines):
        return ""
    text, number = lines[location.line - 1].replace("\t", " "), str(location.line)
    return f"  {number} | {text.rstrip()}\n  {' ' * len(number)} | {' ' * (location.column - 1)}^"


def span(node: exp.Expr) -> tuple[int, int] | None:
    """Where a node's first positioned token stands in the rendered text: its own, else its first descendant's."""
    own = node.meta
    if "start" in own:
        return int(own["start"]), int(own["end"]) + 1
    spans = [(int(n.meta["start"]), int(n.meta["end"]) + 1) for n in node.walk() if "start" in n.meta]
    return min(spans, default=None)


def of_node(table: StreamTable, node: exp.Expr, keyword: str = "") -> Location:
    """The place in the file of a node; with a keyword, of the last such keyword before it."""
    found: tuple[int, int] | None = None
    ancestor: exp.Expr | None = node
    while ancestor is not None and found is None:
        found = span(ancestor)
        ancestor = ancestor.parent
    if found is None:
        return table.location
    if keyword:
        words = list(re.finditer(rf"\b{keyword}\b", table.sql[: found[0]], re.IGNORECASE))
        found = words[-1].span() if words else found
    return at_offset(table, *found)
