"""What every clause needs while a query is lowered: the table, its inputs, the CTEs and outer columns in sight."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING, Protocol

from sqlglot import exp

from trickle.errors import NotDifferentiableError, ProjectError
from trickle.model.schema import Column
from trickle.model.stream_table import StreamTable
from trickle.query.location import of_node, snippet
from trickle.query.operators import Relation
from trickle.query.parse import Schemas

if TYPE_CHECKING:
    from trickle.query.lower.block import Block

ColumnKey = tuple[str, str]
"""A table alias and a column as a query writes them, in lower case."""


@dataclass(frozen=True, slots=True)
class Domain:
    """The values of outer columns that a correlated query is asked for, each combination once.

    A correlated query is lowered for all of them at once: its rows carry the domain's columns.
    """

    relation: Relation
    names: Mapping[ColumnKey, str]

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.relation.columns


@dataclass(frozen=True, slots=True)
class Lowered:
    """A lowered query: its columns, then those of the domain if it is correlated.

    `empty` are its values for members of the domain that have no row here; None when those have no row at all.
    """

    relation: Relation
    empty: tuple[exp.Expr, ...] | None = None


class Clauses(Protocol):
    """How clauses ask for queries inside them."""

    def lower(self, query: exp.Expr, context: Context) -> Lowered:
        """A whole query."""
        ...

    def open(self, select: exp.Select, context: Context) -> Block:
        """The FROM clause of a SELECT, before its conditions."""
        ...


@dataclass(frozen=True, slots=True)
class Context:
    """Where lowering stands; a CTE is kept with the context it was written in.

    `loops` are what recursive CTEs that are being lowered read of themselves.

    With `repairs`, whoever asked fills in members of the domain over which an aggregate has no rows.
    """

    table: StreamTable
    schemas: Schemas
    clauses: Clauses
    ctes: Mapping[str, tuple[exp.Query, Context]] = field(default_factory=dict)
    loops: Mapping[str, Relation] = field(default_factory=dict)
    domain: Domain | None = None
    repairs: bool = False
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def with_cte(self, name: str, query: exp.Query) -> Context:
        return replace(self, ctes={**self.ctes, name: (query, self)})

    def inside(self, domain: Domain | None, *, repairs: bool = False) -> Context:
        """The context of a subquery that is asked for a domain's members."""
        return replace(self, domain=domain, repairs=repairs)

    def lower(self, query: exp.Expr, context: Context) -> Lowered:
        return self.clauses.lower(query, context)

    def open(self, select: exp.Select, context: Context) -> Block:
        return self.clauses.open(select, context)

    def fresh(self, stem: str) -> str:
        """A name that nothing else in this query has."""
        return f"{stem}{next(self.numbers)}"

    def refuse(self, construct: str, node: exp.Expr, keyword: str = "") -> NotDifferentiableError:
        return NotDifferentiableError(construct, location=of_node(self.table, node, keyword))

    def wrong(self, what: str, node: exp.Expr, hint: str = "") -> ProjectError:
        location = of_node(self.table, node)
        message = f'stream table "{self.table.name}": {what}'
        return ProjectError(message, location=location, snippet=snippet(self.table, location), hint=hint)


def refuse_other_arguments(node: exp.Expr, understood: frozenset[str], context: Context) -> None:
    """A clause nobody has thought about is refused, not ignored."""
    for key, value in node.args.items():
        if value and key not in understood:
            inner = value if isinstance(value, exp.Expr) else node
            raise context.refuse(_CLAUSES.get(key, f"{key.rstrip('_').upper()} clause"), inner)


_CLAUSES = {
    "windows": "WINDOW clause",
    "sample": "TABLESAMPLE",
    "pivots": "PIVOT",
    "joins": "join in parentheses",
    "sort": "SORT BY",
    "distribute": "DISTRIBUTE BY",
    "cluster": "CLUSTER BY",
    "by_name": "UNION BY NAME",
}
