"""Tell scans of stored rows by which changes they are needed, so that files without such keys are not read.

A scan that is joined with changes on a column needs only rows whose value occurs among the changes: for inner and
semi-joins on either side, for outer and anti-joins on the right side alone. The rows of the whole stay the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sqlglot import exp

from trickle.differentiate.keys import equal_columns
from trickle.model.names import ScanName
from trickle.query.operators import (
    Aggregate,
    AntiJoin,
    Consolidate,
    Distinct,
    Explode,
    Filter,
    InnerJoin,
    Negate,
    OuterJoin,
    Project,
    Relation,
    Restrict,
    Scan,
    SemiJoin,
    UnionAll,
    Version,
    Within,
    names,
)
from trickle.query.tree import rebuild, rewrite

Source = tuple[ScanName, Version, str]
_BOUNDED = ("tinyint", "smallint", "int", "bigint", "date", "timestamp", "timestamp_ntz", "string")


def narrow(relation: Relation) -> Relation:
    """The same rows from scans that may leave out what no change asks for."""
    return rewrite(relation, _narrowed)


def _narrowed(node: Relation) -> Relation:
    match node:
        case Restrict(left, right, keys):
            for a, b in keys:
                left = _by(left, a, origins(right, b))
            return Restrict(left, right, keys)
        case SemiJoin(left, right, on):
            return SemiJoin(_towards(left, right, on), _towards(right, left, on), on)
        case OuterJoin(left, right, on) | AntiJoin(left, right, on):
            return type(node)(left, _towards(right, left, on), on)
        case InnerJoin(inputs, on):
            return InnerJoin(tuple(_among(i, inputs, on) for i in inputs), on)
        case _:
            return node


def _among(side: Relation, inputs: tuple[Relation, ...], on: tuple[exp.Expr, ...]) -> Relation:
    for other in inputs:
        if other is not side:
            side = _towards(side, other, on)
    return side


def _towards(side: Relation, other: Relation, on: tuple[exp.Expr, ...]) -> Relation:
    """One side of a join, needed only where it equals the other."""
    for a, b in equal_columns(on, side.columns, other.columns):
        side = _by(side, a, origins(other, b))
    return side


# -- where a column's values come from ----------------------------------------------------------------------------


def origins(node: Relation, name: str) -> tuple[Source, ...] | None:  # noqa: C901 one case for each operator
    """Changes that have every value of a column; None when stored rows have some of them."""
    match node:
        case Scan(source, stored, columns, Version.DELTA, _, _):
            return ((source, Version.DELTA, stored[names(columns).index(name)]),)
        case Project(source, bindings):
            value = next(e for c, e in bindings if c.name == name)
            return origins(source, value.name) if isinstance(value, exp.Column) else None
        case Aggregate(source, keys, _):
            key = next((e for c, e in keys if c.name == name), None)
            return origins(source, key.name) if isinstance(key, exp.Column) else None
        case UnionAll(inputs):
            return _all_of(origins(i, name) for i in inputs)
        case Filter() | Negate() | Consolidate() | Distinct():
            return origins(node.input, name)
        case Restrict(left, right, keys):
            return origins(left, name) or _first(origins(right, b) for a, b in keys if a == name)
        case SemiJoin(left, _, _) | AntiJoin(left, _, _):
            return origins(left, name)
        case InnerJoin(inputs, on):
            return _joined(inputs, on, name)
        case OuterJoin(left, _, _):
            return origins(left, name) if name in names(left.columns) else None
        case Explode(source, _, _, _):
            return origins(source, name) if name in names(source.columns) else None
        case _:
            return None


def _all_of(found: Iterable[tuple[Source, ...] | None]) -> tuple[Source, ...] | None:
    whole: list[Source] = []
    for some in found:
        if some is None:
            return None
        whole += some
    return tuple(dict.fromkeys(whole))


def _first(found: Iterable[tuple[Source, ...] | None]) -> tuple[Source, ...] | None:
    return next((some for some in found if some), None)


def _joined(inputs: tuple[Relation, ...], on: tuple[exp.Expr, ...], name: str) -> tuple[Source, ...] | None:
    """A joined column has the values of its own input, and those of any column it is made equal to."""
    own = next(i for i in inputs if name in names(i.columns))
    direct = origins(own, name)
    if direct is not None:
        return direct
    equal = ((other, b) for other in inputs if other is not own
             for a, b in equal_columns(on, own.columns, other.columns) if a == name)  # fmt: skip
    return _first(origins(other, b) for other, b in equal)


# -- down to the scans --------------------------------------------------------------------------------------------


def _by(node: Relation, name: str, keys: tuple[Source, ...] | None) -> Relation:  # noqa: C901 one case an operator
    """A relation of which only rows with these values of a column are needed."""
    if not keys:
        return node
    match node:
        case Scan():
            return _bounded(node, name, keys)
        case Filter() | Negate() | Consolidate() | Distinct():
            return rebuild(node, (_by(node.input, name, keys),))
        case UnionAll():
            return UnionAll(tuple(_by(i, name, keys) for i in node.inputs))
        case Project(source, bindings):
            value = next(e for c, e in bindings if c.name == name)
            return Project(_by(source, value.name, keys), bindings) if isinstance(value, exp.Column) else node
        case Aggregate(source, own, aggregates):
            key = next((e for c, e in own if c.name == name), None)
            return Aggregate(_by(source, key.name, keys), own, aggregates) if isinstance(key, exp.Column) else node
        case Restrict(left, right, pairs):
            return Restrict(_by(left, name, keys), right, pairs)
        case SemiJoin(left, right, on) | AntiJoin(left, right, on):
            return type(node)(_by(left, name, keys), right, on)
        case OuterJoin(left, right, on):
            return OuterJoin(_by(left, name, keys), right, on) if name in names(left.columns) else node
        case InnerJoin(inputs, on):
            return InnerJoin(tuple(_by(i, name, keys) if name in names(i.columns) else i for i in inputs), on)
        case _:
            return node


def _bounded(scan: Scan, name: str, keys: tuple[Source, ...]) -> Scan:
    """A scan is bounded once, by the first column that can bound it."""
    place = names(scan.columns).index(name)
    if scan.version is Version.DELTA or scan.within is not None or scan.columns[place].type not in _BOUNDED:
        return scan
    return replace(scan, within=Within(scan.stored[place], tuple(sorted(set(keys), key=str))))
