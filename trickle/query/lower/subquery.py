"""Subqueries that yield a value: a column of the relation around them, brought in by a join."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from trickle.model.schema import Column
from trickle.query.grouped import is_aggregated
from trickle.query.lower.context import ColumnKey, Context, Domain, Lowered
from trickle.query.lower.correlation import domain_of, free_columns, same_member
from trickle.query.operators import Aggregate, Bindings, Distinct, InnerJoin, OuterJoin, Relation, column
from trickle.query.tree import project

Values = Mapping[ColumnKey, exp.Expr]
"""What the columns of the query around stand for in its relation."""


def attached(relation: Relation, node: exp.Expr, values: Values, context: Context) -> tuple[Relation, exp.Expr]:
    """A relation that has what a subquery found beside its own columns, and the subquery's value over it."""
    query = node.this if isinstance(node, exp.Exists) else node.unnest()
    free = free_columns(query)
    if not free:
        found, value = _of_all(context.lower(query, context.inside(None)), node, context)
        return InnerJoin((relation, found)), value
    domain = domain_of(free, relation, values, context)
    lowered = context.lower(query, context.inside(domain, repairs=True))
    if isinstance(node, exp.Exists) and lowered.empty is not None:
        return relation, exp.true()
    found, value = _of_members(lowered, node, domain, context)
    return OuterJoin(relation, found, same_member(domain, values)), value


def _keys(columns: tuple[Column, ...]) -> Bindings:
    return tuple((c, column(c.name)) for c in columns)


def _of_all(lowered: Lowered, node: exp.Expr, context: Context) -> tuple[Relation, exp.Expr]:
    """One row about an uncorrelated subquery."""
    prefix = context.fresh("sub")
    if isinstance(node, exp.Exists):
        rows = Column(f"{prefix}.rows", "bigint")
        counted = Aggregate(lowered.relation, (), ((rows, exp.Count(this=exp.Star())),))
        return counted, exp.GT(this=column(rows.name), expression=exp.Literal.number(0))
    return _value(lowered.relation, node, (), prefix)


def _of_members(lowered: Lowered, node: exp.Expr, domain: Domain, context: Context) -> tuple[Relation, exp.Expr]:
    """At most one row about each member of the domain, and what it says; a missing row says something too."""
    prefix = context.fresh("sub")
    keys = _keys(domain.columns)
    marker = Column(f"{prefix}.found", "boolean")
    missing = exp.Is(this=column(marker.name), expression=exp.null())
    if isinstance(node, exp.Exists):
        once = Distinct(project(lowered.relation, keys))
        return project(once, (*keys, (marker, exp.true()))), missing.not_()
    found, value = _value(lowered.relation, node, domain.columns, prefix)
    if lowered.empty is None or isinstance(lowered.empty[0], exp.Null):
        return found, value
    found = project(found, (*_keys(found.columns), (marker, exp.true())))
    return found, exp.If(this=missing, true=lowered.empty[0].copy(), false=value)


def _value(rows: Relation, node: exp.Expr, keys: tuple[Column, ...], prefix: str) -> tuple[Relation, exp.Expr]:
    """The one value a scalar subquery has, for each key; more than one row is an error when it is read."""
    query = node.unnest()
    first = rows.columns[0]
    target = Column(f"{prefix}.value", first.type)
    if _has_one_row(query):
        return project(rows, (*_keys(keys), (target, column(first.name)))), column(target.name)
    number = Column(f"{prefix}.rows", "bigint")
    counts: Bindings = ((target, exp.Max(this=column(first.name))), (number, exp.Count(this=exp.Star())))
    grouped = Aggregate(project(rows, (*_keys(keys), (first, column(first.name)))), _keys(keys), counts)
    several = exp.GT(this=column(number.name), expression=exp.Literal.number(1))
    message = exp.Literal.string("more than one row returned by a subquery used as an expression")
    failure = exp.Anonymous(this="raise_error", expressions=[message])
    return grouped, exp.If(this=several, true=failure, false=column(target.name))


def _has_one_row(query: exp.Expr) -> bool:
    plain = isinstance(query, exp.Select) and not any(
        query.args.get(key) for key in ("group", "having", "limit", "offset", "qualify", "laterals")
    )
    return plain and isinstance(query, exp.Select) and is_aggregated(query)
