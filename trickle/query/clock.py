"""The current time as a constant: every table of a run sees one moment, and `verify` can ask for it again."""

from __future__ import annotations

import calendar
from datetime import datetime, timedelta

from sqlglot import exp

from trickle.query.functions import clock_function, clock_word, spark_name

_MOMENTS = {"now", "current_timestamp", "statement_timestamp", "clock_timestamp", "transaction_timestamp"}
_DATES = {"curdate", "current_date"}
_SECONDS = {"unix_timestamp", "to_unix_timestamp"}
_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}
_READ_AS_MOMENT = {"to_date", "try_to_date", "to_timestamp", "to_timestamp_ltz", "to_timestamp_ntz", "try_to_timestamp"}


def at_moment(ast: exp.Expr, moment: datetime) -> exp.Expr:
    """A copy of a query in which the current date and time are the given ones (in UTC)."""
    return ast.transform(lambda node: _constant(node, moment) or node)


def _constant(node: exp.Expr, moment: datetime) -> exp.Expr | None:
    name = clock_function(node)
    text = moment.strftime("%Y-%m-%d %H:%M:%S.%f")
    if name in _DATES:
        return exp.cast(exp.Literal.string(moment.strftime("%Y-%m-%d")), "date", dialect="spark")
    if name in _MOMENTS:
        return exp.cast(exp.Literal.string(text + " UTC"), "timestamp", dialect="spark")
    if name == "localtimestamp":
        return exp.cast(exp.Literal.string(text), "timestamp_ntz", dialect="spark")
    if name in _SECONDS:
        return exp.cast(exp.Literal.number(calendar.timegm(moment.timetuple())), "bigint", dialect="spark")
    return _dated(node, moment) if clock_word(node) and _is_read_as_moment(node.parent) else None


def _is_read_as_moment(parent: exp.Expr | None) -> bool:
    """Whether a text there is a date or time for certain; elsewhere 'today' may be just a word."""
    cast = isinstance(parent, exp.Cast) and parent.to.is_type("date", "timestamp", "timestamptz", "timestampntz")
    return cast or (parent is not None and spark_name(parent) in _READ_AS_MOMENT)


def _dated(node: exp.Expr, moment: datetime) -> exp.Expr | None:
    """A word or a bare time with its date; a word with a time zone stays Spark's to read."""
    word = node.name.strip().lower()
    if word == "now":
        return exp.Literal.string(moment.strftime("%Y-%m-%d %H:%M:%S.%f"))
    if word in _DAYS:
        return exp.Literal.string((moment + timedelta(days=_DAYS[word])).strftime("%Y-%m-%d"))
    return exp.Literal.string(f"{moment:%Y-%m-%d} {node.name.strip().lstrip('tT')}") if word[-1:].isdigit() else None
