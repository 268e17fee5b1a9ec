"""The algebra: what a query is before and after differentiation.

Every relation is a Z-set: rows with an integer weight. A column name is one string, unique in its relation without
regard to case; a scan under alias `o` gives `o.id`, the root projection gives the query's own names. Scalar expressions
are sqlglot expressions over those names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from sqlglot import exp

from trickle.model.names import Name
from trickle.model.schema import Column

Bindings: TypeAlias = tuple[tuple[Column, exp.Expr], ...]


class Version(StrEnum):
    """Which rows of a stored relation a scan reads."""

    OLD = "old"
    """Its state before the interval."""
    NEW = "new"
    """Its state after the interval."""
    DELTA = "delta"
    """Its changes within the interval."""


def column(name: str) -> exp.Column:
    """A reference to a column of a relation."""
    return exp.Column(this=exp.to_identifier(name, quoted=True))


def names(columns: Iterable[Column]) -> tuple[str, ...]:
    """The names of columns, in order."""
    return tuple(c.name for c in columns)


def references(expression: exp.Expr) -> frozenset[str]:
    """The columns an expression reads."""
    return frozenset(node.name for node in expression.find_all(exp.Column))


def _unique(columns: tuple[Column, ...]) -> None:
    folded = [c.name.lower() for c in columns]
    if len(set(folded)) != len(folded):
        raise ValueError(f"column names must be unique: {', '.join(names(columns))}")


def _known(expressions: Iterable[exp.Expr], columns: tuple[Column, ...]) -> None:
    known = set(names(columns))
    for expression in expressions:
        missing = references(expression) - known
        if missing:
            raise ValueError(f"no column {', '.join(sorted(missing))} among {', '.join(names(columns))}")


@dataclass(frozen=True, slots=True)
class Scan:
    """The rows of a stored relation; `stored` are its own column names, renamed to `columns` in order.

    `unread` are its other columns: they are in the view, so a name for the weight must avoid them.
    """

    source: Name
    stored: tuple[str, ...]
    columns: tuple[Column, ...]
    version: Version = Version.NEW
    unread: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.stored) != len(self.columns):
            raise ValueError("a scan needs one name for each stored column")
        _unique(self.columns)

    @property
    def inputs(self) -> tuple[Relation, ...]:
        return ()


@dataclass(frozen=True, slots=True)
class Filter:
    """The rows for which the condition is true."""

    input: Relation
    condition: exp.Expr

    def __post_init__(self) -> None:
        _known([self.condition], self.input.columns)

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.input.columns

    @property
    def inputs(self) -> tuple[Relation, ...]:
        return (self.input,)


@dataclass(frozen=True, slots=True)
class Project:
    """One row for each row, its values computed from it."""

    input: Relation
    bindings: Bindings

    def __post_init__(self) -> None:
        if not self.bindings:
            raise ValueError("a projection needs a column")
        _unique(self.columns)
        _known((e for _, e in self.bindings), self.input.columns)

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(c for c, _ in self.bindings)

    @property
    def inputs(self) -> tuple[Relation, ...]:
        return (self.input,)


@dataclass(frozen=True, slots=True)
class UnionAll:
    """All rows of all inputs, which have the same column names in the same order; weights add up."""

    inputs: tuple[Relation, ...]

    def __post_init__(self) -> None:
        if not self.inputs:
            raise ValueError("a union needs an input")
        first = names(self.inputs[0].columns)
        if any(names(i.columns) != first for i in self.inputs):
            raise ValueError("the inputs of a union must have the same columns")

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.inputs[0].columns


@dataclass(frozen=True, slots=True)
class InnerJoin:
    """All combinations of rows of the inputs for which every conjunct is true; weights multiply."""

    inputs: tuple[Relation, ...]
    on: tuple[exp.Expr, ...] = ()

    def __post_init__(self) -> None:
        if len(self.inputs) < 2:
            raise ValueError("a join needs two inputs")
        _unique(self.columns)
        _known(self.on, self.columns)

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(c for i in self.inputs for c in i.columns)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One row of weight 1 for each group of rows; without keys, one row even for no rows.

    Aggregates are COUNT, SUM, AVG, MIN or MAX of one column, or COUNT(*). The input holds weights that may be negative
    only where every aggregate is a COUNT or a SUM of an exact type; a group whose weights cancel is still a row then.
    """

    input: Relation
    keys: Bindings
    aggregates: Bindings

    def __post_init__(self) -> None:
        if not self.keys and not self.aggregates:
            raise ValueError("an aggregate needs a key or an aggregate function")
        _unique(self.columns)
        _known((e for _, e in (*self.keys, *self.aggregates)), self.input.columns)
        for _, function in self.aggregates:
            if not isinstance(function, exp.Count | exp.Sum | exp.Avg | exp.Min | exp.Max):
                raise ValueError(f"not an aggregate function: {function.sql('spark')}")

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(c for c, _ in (*self.keys, *self.aggregates))

    @property
    def inputs(self) -> tuple[Relation, ...]:
        return (self.input,)


@dataclass(frozen=True, slots=True)
class Distinct:
    """Each row of positive weight once; the input holds no negative weights."""

    input: Relation

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.input.columns

    @property
    def inputs(self) -> tuple[Relation, ...]:
        return (self.input,)


@dataclass(frozen=True, slots=True)
class Negate:
    """The same rows with the opposite weights."""

    input: Relation

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.input.columns

    @property
    def inputs(self) -> tuple[Relation, ...]:
        return (self.input,)


@dataclass(frozen=True, slots=True)
class Consolidate:
    """Equal rows become one row with the sum of their weights, or none when they cancel."""

    input: Relation

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.input.columns

    @property
    def inputs(self) -> tuple[Relation, ...]:
        return (self.input,)


@dataclass(frozen=True, slots=True)
class SemiJoin:
    """The rows of `left`, with their weights, whose keys occur in `right`; NULL keys match NULL keys.

    `keys` pairs a column of the left side with one of the right.
    """

    left: Relation
    right: Relation
    keys: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        if not self.keys:
            raise ValueError("a semi-join needs a key")
        _known((column(a) for a, _ in self.keys), self.left.columns)
        _known((column(b) for _, b in self.keys), self.right.columns)

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.left.columns

    @property
    def inputs(self) -> tuple[Relation, ...]:
        return (self.left, self.right)


@dataclass(frozen=True, slots=True)
class Empty:
    """No rows."""

    columns: tuple[Column, ...]

    @property
    def inputs(self) -> tuple[Relation, ...]:
        return ()


Relation: TypeAlias = (
    Scan | Filter | Project | UnionAll | InnerJoin | Aggregate | Distinct | Negate | Consolidate | SemiJoin | Empty
)


def walk(relation: Relation) -> Iterator[Relation]:
    """The relation and everything below it, parents first; a shared subtree once."""
    seen: set[int] = set()
    waiting = [relation]
    while waiting:
        node = waiting.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            waiting.extend(reversed(node.inputs))


def scans(relation: Relation) -> frozenset[tuple[Name, Version]]:
    """Which stored relations are read, and in which version."""
    return frozenset((node.source, node.version) for node in walk(relation) if isinstance(node, Scan))


def rewrite(relation: Relation, step: Callable[[Relation], Relation]) -> Relation:
    """A tree with `step` applied to every node, inputs first; a shared subtree stays shared."""
    done: dict[int, Relation] = {}

    def rewritten(node: Relation) -> Relation:
        if id(node) not in done:
            inputs = tuple(rewritten(i) for i in node.inputs)
            same = all(new is old for new, old in zip(inputs, node.inputs, strict=True))
            done[id(node)] = step(node if same else rebuild(node, inputs))
        return done[id(node)]

    return rewritten(relation)


def renaming(relation: Relation) -> dict[str, str] | None:
    """New name to old, for a projection that computes nothing."""
    if not isinstance(relation, Project) or not all(isinstance(e, exp.Column) for _, e in relation.bindings):
        return None
    return {c.name: e.name for c, e in relation.bindings}


def project(relation: Relation, bindings: Bindings) -> Relation:
    """A projection, without one below it that only renames and without one that changes nothing."""
    below = renaming(relation)
    if below is not None and isinstance(relation, Project):
        old = below
        bindings = tuple((c, rename(e, old)) for c, e in bindings)
        relation = relation.input
    if isinstance(relation, Project) and all(isinstance(e, exp.Column) for _, e in bindings):
        inner = {c.name: e for c, e in relation.bindings}
        return Project(relation.input, tuple((c, inner[e.name]) for c, e in bindings))
    same = [(c.name, e.name if isinstance(e, exp.Column) else None) for c, e in bindings]
    if same == [(n, n) for n in names(relation.columns)]:
        return relation
    return Project(relation, bindings)


def rename(expression: exp.Expr, new_names: dict[str, str]) -> exp.Expr:
    """A copy of an expression over other column names."""

    def renamed(node: exp.Expr) -> exp.Expr:
        return column(new_names[node.name]) if isinstance(node, exp.Column) else node

    return expression.copy().transform(renamed, copy=False)


def rebuild(relation: Relation, inputs: tuple[Relation, ...]) -> Relation:  # noqa: C901 one case for each operator
    """The same operator over other inputs."""
    match relation:
        case Scan() | Empty():
            return relation
        case Filter(_, condition):
            return Filter(inputs[0], condition)
        case Project(_, bindings):
            return Project(inputs[0], bindings)
        case UnionAll():
            return UnionAll(inputs)
        case InnerJoin(_, on):
            return InnerJoin(inputs, on)
        case Aggregate(_, keys, aggregates):
            return Aggregate(inputs[0], keys, aggregates)
        case SemiJoin(_, _, keys):
            return SemiJoin(inputs[0], inputs[1], keys)
        case Distinct() | Negate() | Consolidate():
            return type(relation)(inputs[0])
