"""How a stream table is kept up to date, for people: its operators, the law and strategy of each, and what it reads."""

from __future__ import annotations

from collections.abc import Iterable

from trickle.differentiate.derive import Interval, rule_for
from trickle.differentiate.plan import DeltaPlan
from trickle.differentiate.restrict import restrict
from trickle.differentiate.rule import law
from trickle.model.names import LoopName, ScanName
from trickle.query.draw import label
from trickle.query.operators import Relation, Scan, Version
from trickle.query.tree import scans

_WORDS = {Version.OLD: "old rows", Version.NEW: "new rows", Version.DELTA: "changes"}


def _name(node: Relation) -> str:
    text = label(node)
    return text.replace(f" {node.version} ", " ", 1) if isinstance(node, Scan) else text


def reads(found: Iterable[tuple[ScanName, Version]]) -> str:
    """Which versions of which stored relations, in words."""
    by_name: dict[str, set[Version]] = {}
    for name, version in found:
        if not isinstance(name, LoopName):
            by_name.setdefault(str(name), set()).add(version)
    parts = [f"{name} ({', '.join(_WORDS[v] for v in Version if v in versions)})" for name, versions in
             sorted(by_name.items())]  # fmt: skip
    return ", ".join(parts) or "nothing"


def _lines(node: Relation, depth: int, interval: Interval) -> list[str]:
    rule = rule_for(node)
    indent = "  " * depth
    lines = [f"{indent}{_name(node)}", f"{indent}  · {rule.linearity}: {law(rule)}"]
    if node.inputs:
        lines.append(f"{indent}  · reads {reads(scans(restrict(interval.delta(node))))}")
    for child in node.inputs:
        lines += _lines(child, depth + 1, interval)
    return lines


def explain(plan: DeltaPlan) -> str:
    """The operator tree, a few lines a node; then the state that is kept."""
    lines = _lines(plan.tree, 0, Interval(plan.table))
    for update in plan.states:
        columns = ", ".join(f"{c.name} {c.type}" for c in update.state.schema.columns)
        lines.append(f"state {update.state.name.node} ({columns})")
        lines.append(f"  · moved by reading {reads(scans(update.delta))}")
    return "\n".join(lines)
