"""Mutants that give the same rows, each with the reason; one that a test kills must leave this list."""

from __future__ import annotations

ARGUED: dict[tuple[str, str, str, str], str] = {
    (
        "scan",
        "ScanRule.delta",
        "lose Consolidate",
        "Consolidate(replace(node, version=Version.DELTA)) → replace(node, version=Version.DELTA)",
    ): "weights of a row add up behind a join as before it; consolidating spares the joins rows that came and went",
    (
        "aggregate",
        "AggregateRule.applies",
        "drop a condition",
        "countable((c for c, _ in node.keys)) and all((isinstance(e, exp.Column) for _, e in node.keys)) → "
        "countable((c for c, _ in node.keys))",
    ): "lowering binds every key to a column before it groups",
    (
        "extremum",
        "ExtremumRule.applies",
        "drop a condition",
        "countable(node.columns) and all((isinstance(e, exp.Column) for _, e in node.keys)) → countable(node.columns)",
    ): "lowering binds every key to a column before it groups",
    (
        "group",
        "GroupRule.delta",
        "drop a condition",
        "(e.name for _, e in node.keys if isinstance(e, exp.Column)) → (e.name for _, e in node.keys)",
    ): "lowering binds every key to a column before it groups",
    (
        "stages",
        "staged.visit",
        "take one branch",
        "node if same else rebuild(node, inputs) → rebuild(node, inputs)",
    ): "an operator built anew over the same inputs is equal to itself",
    (
        "narrow",
        "_joined",
        "drop a condition",
        "((other, b) for other in inputs if other is not own for a, b in equal_columns(on, own.columns, ot... → "
        "((other, b) for other in inputs for a, b in equal_columns(on, own.columns, other.columns) if a ==...",
    ): "an equation within one input bounds it as well; lowering leaves none in a join",
}
