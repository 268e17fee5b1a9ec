"""Push the keys of a restriction down towards the scans, so that less is read; the rows stay the same.

Never into the side of an outer, semi or anti join that decides about NULLs, except by the join's own key; below an
aggregate, a window or a top-k only by its own keys.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from trickle.differentiate.keys import equal_columns
from trickle.query.operators import (
    Aggregate,
    AntiJoin,
    Bindings,
    Consolidate,
    Distinct,
    Empty,
    Explode,
    Filter,
    InnerJoin,
    Negate,
    OuterJoin,
    Project,
    Recursive,
    Relation,
    Restrict,
    Scan,
    SemiJoin,
    TopK,
    UnionAll,
    Values,
    Window,
    names,
)
from trickle.query.tree import rebuild, rewrite

Keys = tuple[tuple[str, str], ...]


def restrict(relation: Relation) -> Relation:
    """The same rows, every restriction as far down as it goes."""
    return rewrite(relation, _pushed)


def _pushed(node: Relation) -> Relation:
    return _push(node.left, node.right, node.keys) if isinstance(node, Restrict) else node


def _push(left: Relation, right: Relation, keys: Keys) -> Relation:  # noqa: C901 one case for each operator
    match left:
        case Filter() | Negate() | Consolidate() | Distinct():
            return rebuild(left, (_push(left.input, right, keys),))
        case UnionAll():
            return UnionAll(tuple(_push(i, right, keys) for i in left.inputs))
        case Restrict():
            return Restrict(_push(left.left, right, keys), left.right, left.keys)
        case Project():
            return _below(left, _handed_through(left.bindings), right, keys)
        case Aggregate():
            return _below(left, _handed_through(left.keys), right, keys)
        case Explode():
            return _below(left, _same(names(left.input.columns)), right, keys)
        case Window():
            return _below(left, _same(left.partition), right, keys)
        case TopK():
            return _below(left, _same(left.keys), right, keys)
        case InnerJoin():
            return _into_join(left, right, keys)
        case OuterJoin() | SemiJoin() | AntiJoin():
            return _into_pair(left, right, keys)
        case Scan() | Values() | Recursive() | Empty():
            return Restrict(left, right, keys)


def _same(columns: Iterable[str]) -> dict[str, str]:
    return {name: name for name in columns}


def _handed_through(bindings: Bindings) -> dict[str, str]:
    """Columns that an operator takes over unchanged, by the name it gives them."""
    return {c.name: e.name for c, e in bindings if isinstance(e, exp.Column)}


def _below(
    left: Project | Aggregate | Explode | Window | TopK, below: dict[str, str], right: Relation, keys: Keys
) -> Relation:
    """Below an operator by the keys it hands through; the others are checked above it."""
    passing = tuple((below[a], b) for a, b in keys if a in below)
    if not passing:
        return Restrict(left, right, keys)
    narrowed = rebuild(left, (_push(left.input, right, passing),))
    return narrowed if len(passing) == len(keys) else Restrict(narrowed, right, keys)


def _into_join(join: InnerJoin, right: Relation, keys: Keys) -> Relation:
    """Into every input that has a key column, or a column the join makes equal to one.

    The whole key is in one input: done there. It is spread over several: each is narrowed, and the join's result
    checked as a whole.
    """
    by_equality = [(b, key) for a, b in _both_ways(join) for left, key in keys if left == a]
    inputs = []
    complete = False
    for source in join.inputs:
        own = set(names(source.columns))
        direct = tuple((a, b) for a, b in keys if a in own)
        reachable = direct or tuple((a, b) for a, b in by_equality if a in own)
        complete = complete or direct == keys
        inputs.append(_push(source, right, reachable) if reachable else source)
    narrowed = InnerJoin(tuple(inputs), join.on)
    return narrowed if complete else Restrict(narrowed, right, keys)


def _both_ways(join: InnerJoin) -> list[tuple[str, str]]:
    pairs = equal_columns(join.on, join.columns, join.columns)
    return pairs + [(b, a) for a, b in pairs]


def _into_pair(join: OuterJoin | SemiJoin | AntiJoin, right: Relation, keys: Keys) -> Relation:
    """Into the left side by its own columns, and into the right side by columns the join makes equal to those."""
    own = set(names(join.left.columns))
    direct = tuple((a, b) for a, b in keys if a in own)
    if not direct:
        return Restrict(join, right, keys)
    equal = equal_columns(join.on, join.left.columns, join.right.columns)
    across = tuple((b, key) for a, b in equal for left, key in direct if left == a)
    matched = _push(join.right, right, across) if across else join.right
    narrowed = type(join)(_push(join.left, right, direct), matched, join.on)
    return narrowed if direct == keys else Restrict(narrowed, right, keys)
