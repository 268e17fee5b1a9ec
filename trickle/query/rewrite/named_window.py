"""WINDOW w AS (…): each OVER w says itself what w stands for.

SELECT sum(x) OVER w FROM t WINDOW w AS (PARTITION BY k)
SELECT sum(x) OVER (PARTITION BY k) FROM t
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.optimizer.scope import walk_in_scope

from trickle.query.rewrite.sight import Sight

_PARTS = ("partition_by", "order", "spec")


def inline_windows(query: exp.Query, sight: Sight) -> None:
    """Write the definition of a named window wherever its name stands, alone or at the head of a longer one."""
    windows: list[exp.Window] = query.args.get("windows") or []
    if not windows:
        return
    known: dict[str, exp.Window] = {}
    for window in windows:
        _fill(window, known, sight)
        known[window.this.name.lower()] = window
    for node in list(walk_in_scope(query)):
        if isinstance(node, exp.Window) and node not in windows:
            _fill(node, known, sight)
    query.set("windows", None)


def _base(window: exp.Window) -> exp.Expr | None:
    """The name of the window that one refers to."""
    found = window.args.get("alias")
    return found if isinstance(found, exp.Expr) else None


def _fill(window: exp.Window, known: dict[str, exp.Window], sight: Sight) -> None:
    base = _base(window)
    if base is None:
        return
    definition = known.get(base.name.lower())
    if definition is None:
        sight.fail(f'unknown window "{base.name}"', base)
    for part in _PARTS:
        value = definition.args.get(part)
        if value and not window.args.get(part):
            window.set(part, [v.copy() for v in value] if isinstance(value, list) else value.copy())
    window.set("alias", None)
