"""Push the keys of a semi-join down towards the scans, so that less is read; the rows stay the same."""

from __future__ import annotations

from sqlglot import exp

from trickle.query.operators import (
    Aggregate,
    Bindings,
    Consolidate,
    Distinct,
    Empty,
    Filter,
    InnerJoin,
    Negate,
    Project,
    Relation,
    Scan,
    SemiJoin,
    UnionAll,
    names,
    rebuild,
    rewrite,
)

Keys = tuple[tuple[str, str], ...]


def restrict(relation: Relation) -> Relation:
    """The same rows, every semi-join as far down as it goes."""
    return rewrite(relation, _pushed)


def _pushed(node: Relation) -> Relation:
    return _push(node.left, node.right, node.keys) if isinstance(node, SemiJoin) else node


def _push(left: Relation, right: Relation, keys: Keys) -> Relation:
    match left:
        case Filter() | Negate() | Consolidate() | Distinct():
            return rebuild(left, (_push(left.input, right, keys),))
        case UnionAll():
            return UnionAll(tuple(_push(i, right, keys) for i in left.inputs))
        case SemiJoin():
            return SemiJoin(_push(left.left, right, keys), left.right, left.keys)
        case Project():
            return _through(left, left.bindings, right, keys)
        case Aggregate():
            return _through(left, left.keys, right, keys)
        case InnerJoin():
            return _into_join(left, right, keys)
        case Scan() | Empty():
            return SemiJoin(left, right, keys)


def _through(left: Project | Aggregate, bindings: Bindings, right: Relation, keys: Keys) -> Relation:
    """Below an operator that hands the key columns through unchanged."""
    below = {c.name: e.name for c, e in bindings if isinstance(e, exp.Column)}
    if not all(a in below for a, _ in keys):
        return SemiJoin(left, right, keys)
    return rebuild(left, (_push(left.input, right, tuple((below[a], b) for a, b in keys)),))


def _equal_columns(join: InnerJoin) -> list[tuple[str, str]]:
    """Columns of one type that the join's condition makes equal, both ways round."""
    types = {c.name: c.type for c in join.columns}
    pairs = [
        (c.this.name, c.expression.name)
        for c in join.on
        if isinstance(c, exp.EQ) and isinstance(c.this, exp.Column) and isinstance(c.expression, exp.Column)
    ]
    alike = [(a, b) for a, b in pairs if types[a] and types[a] == types[b]]
    return alike + [(b, a) for a, b in alike]


def _into_join(join: InnerJoin, right: Relation, keys: Keys) -> Relation:
    """Into every input that has a key column, or a column the join makes equal to one.

    The whole key is in one input: done there. It is spread over several: each is narrowed, and the join's result
    checked as a whole.
    """
    by_equality = [(b, key) for a, b in _equal_columns(join) for left, key in keys if left == a]
    inputs = []
    complete = False
    for source in join.inputs:
        own = set(names(source.columns))
        direct = tuple((a, b) for a, b in keys if a in own)
        reachable = direct or tuple((a, b) for a, b in by_equality if a in own)
        complete = complete or direct == keys
        inputs.append(_push(source, right, reachable) if reachable else source)
    narrowed = InnerJoin(tuple(inputs), join.on)
    return narrowed if complete else SemiJoin(narrowed, right, keys)
