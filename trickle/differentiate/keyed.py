"""The general law of operators that work key by key: compute the changed keys again, before and after.

With D the keys of the changed rows:  ΔQ(R) = Q(R_new ⋉ D) − Q(R_old ⋉ D)
"""

from __future__ import annotations

from collections.abc import Callable

from trickle.differentiate.rule import Change
from trickle.query.operators import Consolidate, Negate, Relation, Restrict, UnionAll, column
from trickle.query.tree import project


def recompute(
    source: Relation, keys: tuple[str, ...], operator: Callable[[Relation], Relation], of: Change
) -> Relation:
    """Q over the rows whose keys changed, new minus old; without keys, over all rows."""
    old, new = of.old(source), of.new(source)
    if keys:
        by_name = {c.name: c for c in source.columns}
        changed = project(of.delta(source), tuple((by_name[k], column(k)) for k in keys))
        pairs = tuple((k, k) for k in keys)
        old, new = Restrict(old, changed, pairs), Restrict(new, changed, pairs)
    return UnionAll((operator(Consolidate(new)), Negate(operator(Consolidate(old)))))
