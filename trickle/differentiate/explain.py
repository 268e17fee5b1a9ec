"""How a stream table is kept up to date, for people: its operators, and the law and strategy of each."""

from __future__ import annotations

from trickle.differentiate.derive import rule_for
from trickle.differentiate.plan import DeltaPlan
from trickle.differentiate.rule import law
from trickle.query.draw import label
from trickle.query.operators import Relation, Scan


def _name(node: Relation) -> str:
    text = label(node)
    return text.replace(f" {node.version} ", " ", 1) if isinstance(node, Scan) else text


def _lines(node: Relation, depth: int) -> list[str]:
    rule = rule_for(node)
    indent = "  " * depth
    lines = [f"{indent}{_name(node)}", f"{indent}  · {rule.linearity}: {law(rule)}"]
    for child in node.inputs:
        lines += _lines(child, depth + 1)
    return lines


def explain(plan: DeltaPlan) -> str:
    """The operator tree, two lines a node; then the state that is kept."""
    lines = _lines(plan.tree, 0)
    for update in plan.states:
        columns = ", ".join(f"{c.name} {c.type}" for c in update.state.schema.columns)
        lines.append(f"state {update.state.name.node} ({columns})")
    return "\n".join(lines)
