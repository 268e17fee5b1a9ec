"""Which columns a join's condition makes equal."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from trickle.model.schema import Column


def equal_columns(on: Sequence[exp.Expr], left: Sequence[Column], right: Sequence[Column]) -> list[tuple[str, str]]:
    """Pairs of a column of `left` and one of `right`, of one type, that some conjunct makes equal."""
    ours, theirs = {c.name: c.type for c in left}, {c.name: c.type for c in right}
    found = []
    for conjunct in on:
        if not isinstance(conjunct, exp.EQ | exp.NullSafeEQ):
            continue
        a, b = conjunct.this, conjunct.expression
        if not isinstance(a, exp.Column) or not isinstance(b, exp.Column):
            continue
        for x, y in ((a.name, b.name), (b.name, a.name)):
            if x in ours and y in theirs and ours[x] and ours[x] == theirs[y]:
                found.append((x, y))
                break
    return found
