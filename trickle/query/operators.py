"""The algebra: what a query is before and after differentiation.

Every relation is a Z-set: rows with an integer weight. A column name is one string, unique in its relation without
regard to case; a scan under alias `o` gives `o.id`, the root projection gives the query's own names. Scalar expressions
are sqlglot expressions over those names.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

from sqlglot import exp

from trickle.model.names import LoopName, ScanName
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


def nulls(columns: Iterable[Column]) -> Bindings:
    """Columns without a value."""
    return tuple((c, exp.cast(exp.null(), c.type, dialect="spark") if c.type else exp.null()) for c in columns)


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
class Within:
    """A promise that only rows whose column is among the values of some changes matter.

    `keys` are the changes by relation, version and stored column; their values may be taken for wider than they are.
    """

    column: str
    keys: tuple[tuple[ScanName, Version, str], ...]


class _OverOne:
    """What operators with one input have in common."""

    __slots__ = ()
    input: Relation

    @property
    def inputs(self) -> tuple[Relation, ...]:
        return (self.input,)


class _SameColumns(_OverOne):
    """What operators have in common whose rows look like those of their input."""

    __slots__ = ()

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.input.columns


@dataclass(frozen=True, slots=True)
class Scan:
    """The rows of a stored relation; `stored` are its own column names, renamed to `columns` in order.

    `unread` are its other columns: they are in the view, so a name for the weight must avoid them. Rows outside
    `within` may be left out.
    """

    source: ScanName
    stored: tuple[str, ...]
    columns: tuple[Column, ...]
    version: Version = Version.NEW
    unread: tuple[str, ...] = ()
    within: Within | None = None

    def __post_init__(self) -> None:
        if len(self.stored) != len(self.columns):
            raise ValueError("a scan needs one name for each stored column")
        _unique(self.columns)

    @property
    def inputs(self) -> tuple[Relation, ...]:
        return ()


@dataclass(frozen=True, slots=True)
class Filter(_SameColumns):
    """The rows for which the condition is true."""

    input: Relation
    condition: exp.Expr

    def __post_init__(self) -> None:
        _known([self.condition], self.input.columns)


@dataclass(frozen=True, slots=True)
class Project(_OverOne):
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
class Aggregate(_OverOne):
    """One row of weight 1 for each group of rows; without keys, one row even for no rows.

    The input holds weights that may be negative only where every aggregate is a COUNT or a SUM of one column of an
    exact type; a group whose weights cancel is still a row then.
    """

    input: Relation
    keys: Bindings
    aggregates: Bindings

    def __post_init__(self) -> None:
        if not self.keys and not self.aggregates:
            raise ValueError("an aggregate needs a key or an aggregate function")
        _unique(self.columns)
        _known((e for _, e in (*self.keys, *self.aggregates)), self.input.columns)

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(c for c, _ in (*self.keys, *self.aggregates))


@dataclass(frozen=True, slots=True)
class Values:
    """Rows that the query itself writes down."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[exp.Expr, ...], ...]

    def __post_init__(self) -> None:
        _unique(self.columns)
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError("every row of VALUES needs one value a column")

    @property
    def inputs(self) -> tuple[Relation, ...]:
        return ()


@dataclass(frozen=True, slots=True)
class Explode(_OverOne):
    """Each row with every row that a generator yields for it; with `outer`, once with NULLs where it yields none."""

    input: Relation
    generator: exp.Expr
    produced: tuple[Column, ...]
    outer: bool = False

    def __post_init__(self) -> None:
        _unique(self.columns)
        _known([self.generator], self.input.columns)

    @property
    def columns(self) -> tuple[Column, ...]:
        return (*self.input.columns, *self.produced)


@dataclass(frozen=True, slots=True)
class _Paired:
    """Two relations and the conjuncts that match their rows."""

    left: Relation
    right: Relation
    on: tuple[exp.Expr, ...] = ()

    def __post_init__(self) -> None:
        both = (*self.left.columns, *self.right.columns)
        _unique(both)
        _known(self.on, both)

    @property
    def inputs(self) -> tuple[Relation, ...]:
        return (self.left, self.right)


@dataclass(frozen=True, slots=True)
class OuterJoin(_Paired):
    """Every row of `left` with each row of `right` it matches, or once with NULLs.

    Weights multiply. `right` holds positive weights only; the operator is linear in `left`.
    """

    @property
    def columns(self) -> tuple[Column, ...]:
        return (*self.left.columns, *(replace(c, nullable=True) for c in self.right.columns))


@dataclass(frozen=True, slots=True)
class SemiJoin(_Paired):
    """The rows of `left`, with their weights, that match some row of `right`."""

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.left.columns


@dataclass(frozen=True, slots=True)
class AntiJoin(_Paired):
    """The rows of `left`, with their weights, that match no row of `right`, which holds positive weights only."""

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.left.columns


@dataclass(frozen=True, slots=True)
class Window(_OverOne):
    """Each row with window functions over the rows of its partition; the input holds positive weights only.

    `partition` are columns of the input, and every function has just these as its PARTITION BY.
    """

    input: Relation
    partition: tuple[str, ...]
    functions: Bindings

    def __post_init__(self) -> None:
        _unique(self.columns)
        _known((column(p) for p in self.partition), self.input.columns)
        _known((e for _, e in self.functions), self.input.columns)

    @property
    def columns(self) -> tuple[Column, ...]:
        return (*self.input.columns, *(c for c, _ in self.functions))


@dataclass(frozen=True, slots=True)
class TopK(_SameColumns):
    """For each value of the keys the first `limit` rows after the first `offset`, in an order that ties nothing.

    The input holds positive weights only; without a limit, all rows after the offset.
    """

    input: Relation
    keys: tuple[str, ...]
    order: tuple[exp.Ordered, ...]
    limit: int | None
    offset: int = 0

    def __post_init__(self) -> None:
        _known((column(k) for k in self.keys), self.input.columns)
        _known(self.order, self.input.columns)


@dataclass(frozen=True, slots=True)
class Recursive:
    """The base rows, and what the step makes of the rows found last, until it finds nothing; weights multiply.

    The step reads those rows as a scan of `loop`. With `once`, a row that was found before is not found again.
    """

    base: Relation
    step: Relation
    loop: LoopName
    once: bool

    def __post_init__(self) -> None:
        if names(self.base.columns) != names(self.step.columns):
            raise ValueError("base and step of a recursion must have the same columns")

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.base.columns

    @property
    def inputs(self) -> tuple[Relation, ...]:
        return (self.base, self.step)


@dataclass(frozen=True, slots=True)
class Distinct(_SameColumns):
    """Each row of positive weight once; the input holds no negative weights."""

    input: Relation


@dataclass(frozen=True, slots=True)
class Negate(_SameColumns):
    """The same rows with the opposite weights."""

    input: Relation


@dataclass(frozen=True, slots=True)
class Consolidate(_SameColumns):
    """Equal rows become one row with the sum of their weights, or none when they cancel."""

    input: Relation


@dataclass(frozen=True, slots=True)
class Restrict:
    """The rows of `left`, with their weights, whose keys occur in `right`; NULL keys match NULL keys.

    `keys` pairs a column of the left side with one of the right.
    """

    left: Relation
    right: Relation
    keys: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        if not self.keys:
            raise ValueError("a restriction needs a key")
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
    Scan
    | Values
    | Filter
    | Project
    | UnionAll
    | Explode
    | InnerJoin
    | OuterJoin
    | SemiJoin
    | AntiJoin
    | Aggregate
    | Distinct
    | Window
    | TopK
    | Recursive
    | Negate
    | Consolidate
    | Restrict
    | Empty
)
