"""The pieces that every emitted subquery is made of."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from trickle.model.schema import Column
from trickle.query.operators import column
from trickle.query.types import FLOATS, UNKNOWN


def identifier(text: str) -> exp.Identifier:
    return exp.to_identifier(text, quoted=True)


def table(text: str, alias: str | None = None) -> exp.Table:
    return exp.Table(this=identifier(text), alias=exp.TableAlias(this=identifier(alias)) if alias else None)


def plain(columns: Iterable[Column]) -> list[exp.Expr]:
    return [column(c.name) for c in columns]


def named(expression: exp.Expr, name: str) -> exp.Alias:
    return exp.Alias(this=expression.copy(), alias=identifier(name))


def cast(expression: exp.Expr, type_: str) -> exp.Expr:
    return exp.cast(expression, type_, dialect="spark")


def one(weight: str) -> exp.Expr:
    """The weight of a row that is there once."""
    return named(cast(exp.Literal.number(1), "bigint"), weight)


def all_of(conditions: Iterable[exp.Expr]) -> exp.Expr | None:
    conjuncts = [exp.paren(c.copy()) if isinstance(c, exp.Or) else c.copy() for c in conditions]
    return exp.and_(*conjuncts) if conjuncts else None


def repeated(columns: Iterable[Column], source: str, weight: str) -> exp.Expr:
    """Each row of a subquery as often as it weighs."""
    times = exp.Anonymous(this="array_repeat", expressions=[exp.Literal.number(0), cast(column(weight), "int")])
    copies = exp.select(*plain(columns), named(exp.Explode(this=times), weight)).from_(table(source))
    return copies.subquery(identifier("repeated"))


def consolidated(columns: tuple[Column, ...], source: str, weight: str) -> exp.Select:
    """A grouped sum of weights.

    GROUP BY would turn -0.0 into 0.0, so floats are grouped by their text, and values of a type that is not certain
    by their text as well.
    """
    keys: list[exp.Expr] = []
    selected: list[exp.Expr] = []
    for c in columns:
        value = column(c.name)
        unsure, floating = c.type == UNKNOWN, c.type in FLOATS
        keys += [cast(value, "string")] if floating or unsure else []
        keys += [] if floating else [value]
        chosen = exp.Max(this=value.copy()) if floating else exp.AnyValue(this=value.copy()) if unsure else value.copy()
        selected.append(named(chosen, c.name) if floating or unsure else chosen)
    total = named(exp.Sum(this=column(weight)), weight)
    grouped = exp.select(*selected, total).from_(table(source)).group_by(*keys)
    kept = exp.NEQ(this=column(weight), expression=exp.Literal.number(0))
    outer = exp.select(*plain(columns), column(weight))
    return outer.from_(grouped.subquery(identifier("summed"))).where(kept)
