"""The current time as a constant: every table of a run sees one moment, and `verify` can ask for it again."""

from __future__ import annotations

from datetime import datetime

from sqlglot import exp

from trickle.query.functions import clock_function

_MOMENTS = {"now", "current_timestamp", "statement_timestamp", "clock_timestamp", "transaction_timestamp"}
_DATES = {"curdate", "current_date"}


def at_moment(ast: exp.Expr, moment: datetime) -> exp.Expr:
    """A copy of a query in which the current date and time are the given ones (in UTC)."""
    return ast.transform(lambda node: _constant(node, moment) or node)


def _constant(node: exp.Expr, moment: datetime) -> exp.Expr | None:
    name = clock_function(node).replace("_", "")
    if name in {known.replace("_", "") for known in _DATES}:
        return exp.cast(exp.Literal.string(moment.strftime("%Y-%m-%d")), "date", dialect="spark")
    text = moment.strftime("%Y-%m-%d %H:%M:%S.%f")
    if name in {known.replace("_", "") for known in _MOMENTS}:
        return exp.cast(exp.Literal.string(text + " UTC"), "timestamp", dialect="spark")
    if name == "localtimestamp":
        return exp.cast(exp.Literal.string(text), "timestamp_ntz", dialect="spark")
    return None
