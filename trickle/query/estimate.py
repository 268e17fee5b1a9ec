"""How many rows a relation of a delta plan may have, from what is known of the tables it reads.

Only joins need it: rows that grew out of a few changes are sent to every task, instead of shuffling what they meet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from trickle.model.names import ScanName
from trickle.query.operators import (
    Aggregate,
    InnerJoin,
    OuterJoin,
    Project,
    Relation,
    Restrict,
    Scan,
    TopK,
    UnionAll,
    Values,
    Version,
    names,
    references,
)

FEW = 300_000
"""So many rows are sent to every task without a thought."""
_UNKNOWN_FANOUT = 20.0


@dataclass
class Estimate:
    """Rows of stored relations by version, and the key of each where it has one."""

    rows: Mapping[tuple[ScanName, Version], int] = field(default_factory=dict)
    keys: Mapping[ScanName, tuple[str, ...]] = field(default_factory=dict)
    stages: dict[ScanName, float] = field(default_factory=dict)

    def few(self, count: float) -> bool:
        return bool(self.rows) and count <= FEW

    def of(self, node: Relation) -> float:  # noqa: C901 one case for each operator
        """A guess that rather overstates."""
        match node:
            case Scan():
                return self._scan(node)
            case Values(_, rows):
                return len(rows)
            case UnionAll(inputs):
                return sum(self.of(i) for i in inputs)
            case InnerJoin(inputs, on):
                return self._joined(inputs, on)
            case OuterJoin(left, right, on):
                return max(self.of(left), self.met(self.of(left), (left,), right, on))
            case Restrict(left, right, keys):
                return min(self.of(left), self.of(right) * self._fanout(left, {a for a, _ in keys}, None))
            case Aggregate(source, keys, _):
                return self.of(source) if keys else 1
            case TopK(source, (), _, limit, _) if limit is not None:
                return min(limit, self.of(source))
            case _:
                return self.of(node.inputs[0]) if node.inputs else 0

    def _scan(self, scan: Scan) -> float:
        known = self.rows.get((scan.source, scan.version))
        return self.stages.get(scan.source, FEW) if known is None else known

    def _joined(self, inputs: tuple[Relation, ...], on: tuple[exp.Expr, ...]) -> float:
        first, *rest = inputs
        count = self.of(first)
        for place, source in enumerate(rest, start=1):
            count = self.met(count, inputs[:place], source, on)
        return count

    def met(self, count: float, before: tuple[Relation, ...], source: Relation, on: tuple[exp.Expr, ...]) -> float:
        """Rows after some that were joined have met one more relation."""
        own = set(names(source.columns))
        others = {c.name: b for b in before for c in b.columns}
        pairs = [_sides(c, own, set(others)) for c in on if isinstance(c, exp.EQ | exp.NullSafeEQ)]
        equal = {a: b for a, b in pairs if a and b}
        if not equal:
            tied = any(references(c) & own and references(c) - own for c in on)
            return count * (_UNKNOWN_FANOUT if tied else self.of(source))
        referenced = next((others[b] for b in equal.values() if self._is_key(others[b], set(equal.values()))), None)
        return min(count * self._fanout(source, set(equal), referenced), count * self.of(source))

    def _fanout(self, source: Relation, columns: set[str], referenced: Relation | None) -> float:
        """How many rows of a relation have one value of some columns."""
        if self._is_key(source, columns):
            return 1
        if referenced is None:
            return _UNKNOWN_FANOUT
        scan, other = _scan_of(source), _scan_of(referenced)
        if scan is None or other is None:
            return _UNKNOWN_FANOUT
        base = self.rows.get((other.source, Version.NEW)) or self.rows.get((other.source, Version.OLD)) or 0
        return max(1.0, self._scan(scan) / base) if base else _UNKNOWN_FANOUT

    def _is_key(self, relation: Relation, columns: set[str]) -> bool:
        scan = _scan_of(relation)
        if scan is None:
            return False
        key = self.keys.get(scan.source, ())
        stored = {scan.stored[i] for i, c in enumerate(scan.columns) if _stored_as(relation, c.name) & columns}
        return bool(key) and set(key) <= stored


def _sides(conjunct: exp.Expr, own: set[str], others: set[str]) -> tuple[str, str]:
    a, b = conjunct.this, conjunct.expression
    if isinstance(a, exp.Column) and isinstance(b, exp.Column):
        if a.name in own and b.name in others:
            return a.name, b.name
        if b.name in own and a.name in others:
            return b.name, a.name
    return "", ""


def _scan_of(relation: Relation) -> Scan | None:
    """The scan below operators that neither join nor add rows."""
    while relation.inputs and not isinstance(relation, InnerJoin | UnionAll | OuterJoin):
        relation = relation.inputs[0]
    return relation if isinstance(relation, Scan) else None


def _stored_as(relation: Relation, name: str) -> set[str]:
    """What a scan's column is called above the operators that lead to it."""
    if not relation.inputs:
        return {name}
    below = _stored_as(relation.inputs[0], name)
    if isinstance(relation, Project):
        return {c.name for c, e in relation.bindings if isinstance(e, exp.Column) and e.name in below}
    if isinstance(relation, Aggregate):
        return {c.name for c, e in relation.keys if isinstance(e, exp.Column) and e.name in below}
    return below
