"""Which columns a relation in a FROM clause has, before the query is qualified.

Queries are rewritten inner before outer, so what a relation reads has only plain constructs in it by the time somebody
asks here. A type is empty where it cannot be told for certain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn

from sqlglot import exp

from trickle.errors import ProjectError
from trickle.model.schema import Column
from trickle.model.stream_table import StreamTable
from trickle.query.location import of_node, snippet
from trickle.query.parse import Schemas
from trickle.query.types import infer, widest

Columns = tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Sight:
    """What can be seen where a query stands: stored relations and the CTEs above it."""

    table: StreamTable
    schemas: Schemas
    ctes: Mapping[str, Columns] = field(default_factory=dict)

    def with_cte(self, name: str, columns: Columns) -> Sight:
        return replace(self, ctes={**self.ctes, name: columns})

    def fail(self, what: str, node: exp.Expr, hint: str = "") -> NoReturn:
        location = of_node(self.table, node)
        message = f'stream table "{self.table.name}": {what}'
        raise ProjectError(message, location=location, snippet=snippet(self.table, location), hint=hint)

    def relation(self, node: exp.Expr) -> Columns:
        """The columns of one member of a FROM clause; none when they cannot be told."""
        found = self._unaliased(node)
        alias = node.args.get("alias")
        names = [c.name for c in alias.columns] if isinstance(alias, exp.TableAlias) else []
        if not found:
            return tuple(Column(name, "") for name in names)
        return tuple(Column(names[i] if i < len(names) else c.name, c.type) for i, c in enumerate(found))

    def _unaliased(self, node: exp.Expr) -> Columns:
        if isinstance(node, exp.Table):
            return self._stored(node) if node.db else self.ctes.get(node.name, ())
        if isinstance(node, exp.Subquery | exp.Lateral):
            inner = node.this.unnest() if isinstance(node.this, exp.Subquery) else node.this
            return self.query(inner) if isinstance(inner, exp.Select | exp.SetOperation) else ()
        if isinstance(node, exp.Values):
            return _values(node)
        return ()

    def _stored(self, node: exp.Table) -> Columns:
        wanted = (node.db.lower(), node.name.lower())
        stored = next((s for n, s in self.schemas.items() if (n.schema.lower(), n.table.lower()) == wanted), None)
        return tuple(Column(c.name.lower(), c.type) for c in stored.columns) if stored else ()

    def query(self, query: exp.Expr) -> Columns:
        """The columns a query yields; none when they cannot be told."""
        bare = query.unnest()
        if isinstance(bare, exp.SetOperation):
            left, right = self.query(bare.this), self.query(bare.expression)
            if len(left) != len(right):
                return left
            return tuple(Column(a.name, widest((a.type, b.type))) for a, b in zip(left, right, strict=True))
        if isinstance(bare, exp.Values):
            return _values(bare)
        return self._select(bare) if isinstance(bare, exp.Select) else ()

    def _select(self, select: exp.Select) -> Columns:
        sources = {node.alias_or_name: self.relation(node) for node in members(select) if not _half(node)}
        visible = [Column(f"{alias}.{c.name}", c.type) for alias, columns in sources.items() for c in columns]
        visible += [c for columns in sources.values() for c in columns]
        found: list[Column] = []
        for item in select.selects:
            if not item.is_star:
                found.append(Column(item.alias_or_name, infer(item.unalias(), visible)))
                continue
            starred = sources.values() if isinstance(item, exp.Star) else [sources.get(item.text("table"), ())]
            if not all(starred):
                return ()
            found += [c for columns in starred for c in columns if c.name not in excepted(item)]
        return tuple(found)


def _half(node: exp.Expr) -> bool:
    """Whether a relation only filters: the right side of a semi or anti join."""
    return isinstance(node.parent, exp.Join) and node.parent.kind in ("SEMI", "ANTI")


def members(select: exp.Select) -> Sequence[exp.Expr]:
    """The relations of a FROM clause, left to right."""
    clause = select.args.get("from_")
    joined = [join.this for join in select.args.get("joins") or []]
    return [*([clause.this] if clause is not None else []), *joined, *(select.args.get("laterals") or [])]


def excepted(star: exp.Expr) -> set[str]:
    """The names a star leaves out."""
    bare = star.this if isinstance(star, exp.Column) else star
    return {e.name for e in bare.args.get("except_") or []}


def _values(node: exp.Values) -> Columns:
    """Spark's names for the columns of VALUES, and their common types."""
    rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in node.expressions]
    if len({len(row) for row in rows}) != 1:
        return ()
    types = [widest(infer(value, ()) for value in column) for column in zip(*rows, strict=True)]
    return tuple(Column(f"col{i}", type_) for i, type_ in enumerate(types, start=1))
