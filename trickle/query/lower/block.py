"""One SELECT while its clauses are lowered: the relations joined so far, and what their columns are called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from trickle.model.schema import Column
from trickle.query.lower.context import ColumnKey, Context, Domain
from trickle.query.lower.correlation import free_columns, key_of
from trickle.query.lower.expression import check_scalar, conjuncts, has_subquery, renamed, resolve, subqueries
from trickle.query.lower.predicate import kept_by
from trickle.query.lower.subquery import attached
from trickle.query.operators import Bindings, Filter, InnerJoin, Relation, column, references
from trickle.query.tree import project
from trickle.query.types import infer


def extended(relation: Relation, more: Bindings) -> Relation:
    """A relation with computed columns behind its own."""
    return project(relation, (*((c, column(c.name)) for c in relation.columns), *more))


def filtered(relation: Relation, conditions: Sequence[exp.Expr]) -> Relation:
    if not conditions:
        return relation
    parts = [exp.paren(c) if isinstance(c, exp.Or) else c for c in conditions]
    return Filter(relation, exp.and_(*parts, copy=True))


@dataclass
class Block:
    """Relations that are joined on conjuncts, and the columns that expressions may name.

    `carried` are columns of the domain that every row must hand on, empty when the block is not correlated.
    """

    context: Context
    parts: list[Relation] = field(default_factory=list)
    on: list[exp.Expr] = field(default_factory=list)
    names: dict[ColumnKey, str] = field(default_factory=dict)
    later: list[exp.Expr] = field(default_factory=list)
    carried: tuple[Column, ...] = ()
    closed: bool = False

    @property
    def relation(self) -> Relation:
        """Everything joined."""
        if len(self.parts) > 1:
            owner = {c.name: i for i, part in enumerate(self.parts) for c in part.columns}
            joining = [c for c in self.on if len({owner[name] for name in references(c)}) > 1]
            filtering = [c for c in self.on if c not in joining]
            return filtered(InnerJoin(tuple(self.parts), tuple(joining)), filtering)
        return filtered(self.parts[0], self.on)

    def become(self, relation: Relation) -> None:
        self.parts, self.on = [relation], []

    def resolve(self, expression: exp.Expr) -> exp.Expr:
        return resolve(expression, self.names, self.context)

    def resolve_arguments(self, call: exp.Expr) -> exp.Expr:
        """A call whose arguments are expressions over the relation, but which itself is none."""
        copied = call.copy()
        for child in list(copied.iter_expressions()):
            child.replace(self.resolve(child))
        return copied

    def value(self, expression: exp.Expr) -> exp.Expr:
        """An expression over the relation, after its subqueries have become columns of it."""
        value = self.translated(expression)
        check_scalar(value, self.context)
        return value

    def translated(self, expression: exp.Expr) -> exp.Expr:
        """The same, not yet checked: window functions are still in it."""
        holder = exp.Paren(this=expression.copy())
        for node in subqueries(holder.this):
            node.replace(self.attach(node))
        return renamed(holder.this, self.names, self.context)

    def attach(self, node: exp.Expr, name: str = "") -> exp.Column:
        """A scalar subquery or EXISTS as a column of the relation."""
        name = name or self.context.fresh("value")
        for key, free in free_columns(node).items():
            if key not in self.names:
                raise self.context.refuse(f"reference to {free.sql('spark')} outside its FROM clause", free)
        relation, value = attached(self.relation, node, self._values(), self.context)
        kept = {c.name for c in self.relation.columns}
        own = tuple((c, column(c.name)) for c in relation.columns if c.name in kept)
        self.become(project(relation, (*own, (Column(name, infer(value, relation.columns)), value))))
        self.names["", name.lower()] = name
        return column(name)

    def _values(self) -> dict[ColumnKey, exp.Expr]:
        return {key: column(name) for key, name in self.names.items()}

    # -- conditions -----------------------------------------------------------------------------------------

    def where(self, conditions: Iterable[exp.Expr]) -> None:
        """Keep the rows for which every condition is true: plain ones first, subqueries over what is left."""
        waiting = list(conditions)
        self.on += [self.resolve(c) for c in waiting if not has_subquery(c)]
        for condition in (c for c in waiting if has_subquery(c)):
            self._where_subquery(condition)

    def _where_subquery(self, condition: exp.Expr) -> None:
        kept = kept_by(self.relation, condition, self._values(), self.context)
        if kept is not None:
            self.become(kept)
        else:
            value = self.value(condition)
            self.become(filtered(self.relation, [value]))

    # -- correlation ----------------------------------------------------------------------------------------

    def bind(self, select: exp.Select, conditions: list[exp.Expr]) -> list[exp.Expr]:
        """Give a correlated block the domain's columns; returns the conditions that are left.

        Where each is equal to something of the block's own, that stands for it: members of the domain without rows
        would have none anyway. Otherwise the domain is joined.
        """
        domain = self.context.domain
        if domain is None or not (self.closed or any(key in domain.names for key in free_columns(select))):
            return conditions
        self.carried = domain.columns
        bound = {} if self.closed else self._bound(domain, conditions)
        if set(bound) == set(domain.names):
            by_name = {c.name: c for c in domain.columns}
            bindings = tuple((by_name[domain.names[k]], value) for k, (_, value) in bound.items())
            self.become(extended(self.relation, bindings))
            present = [exp.Is(this=column(c.name), expression=exp.null()).not_() for c, _ in bindings]
            self.become(filtered(self.relation, present))
            used = [id(condition) for condition, _ in bound.values()]
            conditions = [c for c in conditions if id(c) not in used]
        else:
            self.parts.insert(0, domain.relation)
        self.names.update(domain.names)
        return conditions

    def _bound(self, domain: Domain, conditions: list[exp.Expr]) -> dict[ColumnKey, tuple[exp.Expr, exp.Expr]]:
        types = {c.name: c.type for c in domain.columns}
        columns = tuple(c for part in self.parts for c in part.columns)
        found: dict[ColumnKey, tuple[exp.Expr, exp.Expr]] = {}
        for condition in conditions:
            if not isinstance(condition, exp.EQ) or has_subquery(condition):
                continue
            for outer, own in ((condition.this, condition.expression), (condition.expression, condition.this)):
                key = key_of(outer) if isinstance(outer, exp.Column) else ("", "")
                inside = all(key_of(c) in self.names for c in own.find_all(exp.Column))
                if key not in domain.names or key in self.names or key in found or not inside:
                    continue
                value = self.resolve(own)
                if references(value) and types[domain.names[key]] and infer(value, columns) == types[domain.names[key]]:
                    found[key] = (condition, value)
                    break
        return found


def where_of(select: exp.Select) -> list[exp.Expr]:
    where = select.args.get("where")
    return list(conjuncts(where.this)) if where else []
