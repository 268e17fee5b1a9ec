"""Windows and top-k as Spark SQL: over rows repeated as they weigh, each result row weighing 1."""

from __future__ import annotations

from sqlglot import exp

from trickle.query.emit.parts import identifier, named, one, plain, repeated
from trickle.query.operators import TopK, Window, column


def window(node: Window, source: str, weight: str) -> exp.Select:
    """Every input column and every function."""
    computed = [named(e, c.name) for c, e in node.functions]
    rows = repeated(node.input.columns, source, weight)
    return exp.select(*plain(node.input.columns), *computed, one(weight)).from_(rows)


def top_k(node: TopK, source: str, weight: str) -> exp.Select:
    """By LIMIT where there is one order for all, by a row number where each key has its own."""
    rows = repeated(node.columns, source, weight)
    return _ranked(node, rows, weight) if node.keys else _limited(node, rows, weight)


def _limited(node: TopK, rows: exp.Expr, weight: str) -> exp.Select:
    query = exp.select(*plain(node.columns), one(weight)).from_(rows)
    query = query.order_by(*(o.copy() for o in node.order))
    if node.limit is not None:
        query = query.limit(node.limit)
    return query.offset(node.offset) if node.offset else query


def _ranked(node: TopK, rows: exp.Expr, weight: str) -> exp.Select:
    number = exp.Window(
        this=exp.RowNumber(),
        partition_by=[column(k) for k in node.keys],
        order=exp.Order(expressions=[o.copy() for o in node.order]),
    )
    inner = exp.select(*plain(node.columns), named(number, weight)).from_(rows)
    place = column(weight)
    kept: list[exp.Expr] = [exp.GT(this=place, expression=exp.Literal.number(node.offset))]
    if node.limit is not None:
        kept.append(exp.LTE(this=place.copy(), expression=exp.Literal.number(node.offset + node.limit)))
    query = exp.select(*plain(node.columns), one(weight)).from_(inner.subquery(identifier("ranked")))
    return query.where(exp.and_(*kept))
