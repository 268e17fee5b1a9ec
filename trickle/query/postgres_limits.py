"""What the postgres dialect takes: constructs that mean the same in Spark; all else is refused by name.

A PostgreSQL function written to Spark under the same name may round, count or order differently, and nobody would see
it. So only what is known to agree passes.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from trickle.model.schema import Column
from trickle.query.types import INTEGERS, infer

_SAME_FUNCTIONS = """
Abs And Array Avg Case Cast Ceil Coalesce Count CumeDist CurrentDate CurrentTimestamp DateDiff DenseRank Exists Explode
FirstValue Floor Greatest If Lag LastValue Lead Least Length Log LogicalAnd LogicalOr Lower Max Min NthValue Ntile
Nullif Or PercentRank Rank RowNumber Sum Trim Upper
"""
_SAME = frozenset(getattr(exp, name) for name in _SAME_FUNCTIONS.split() if hasattr(exp, name))
_SAME_NAMES = frozenset({"log10"})
_EXTRACTED = frozenset({"year", "month", "day", "hour", "minute"})
_OTHER = (exp.AtTimeZone, exp.Bracket, exp.Collate)
_TEXTUAL = frozenset({*INTEGERS, "string", "date", "boolean"})


def difference(node: exp.Expr, columns: Sequence[Column]) -> str:
    """Why Spark may give another value for a node than PostgreSQL, or an empty string."""
    special = _SPECIAL.get(type(node))
    if special is not None:
        return special(node, columns)
    if isinstance(node, _OTHER):
        return _named(node)
    if isinstance(node, exp.Anonymous):
        return "" if node.name.lower() in _SAME_NAMES else f"function {node.name}"
    if isinstance(node, exp.Func) and type(node) not in _SAME:
        return _named(node)
    return ""


def _named(node: exp.Expr) -> str:
    return f"{node.sql('postgres')}"


def _cast(node: exp.Expr, columns: Sequence[Column]) -> str:
    source, target = infer(node.this, columns), node.args["to"]
    written = f"cast of {source or 'this'} to {target.sql('postgres').lower()}"
    if target.is_type(*exp.DataType.INTEGER_TYPES):
        return "" if source in INTEGERS or source == "boolean" else f"{written}, which rounds"
    if target.is_type(exp.DType.VARCHAR, exp.DType.CHAR, exp.DType.NCHAR, exp.DType.NVARCHAR):
        return written if target.expressions or not _prints_alike(source) else ""
    if target.is_type(*exp.DataType.TEXT_TYPES):
        return "" if _prints_alike(source) else written
    if target.is_type(exp.DType.DECIMAL) and source in {"float", "double"}:
        return written
    return ""


def _prints_alike(source: str) -> bool:
    return source in _TEXTUAL or source.startswith("decimal")


def _extract(node: exp.Expr, _columns: Sequence[Column]) -> str:
    return "" if node.name.lower() in _EXTRACTED else f"extract({node.name.lower()})"


def _round(node: exp.Expr, columns: Sequence[Column]) -> str:
    exact = infer(node.this, columns)
    return "" if exact in INTEGERS or exact.startswith("decimal") else "round of floating-point numbers"


def _substring(node: exp.Expr, _columns: Sequence[Column]) -> str:
    start, length = node.args.get("start"), node.args.get("length")
    plain = isinstance(start, exp.Literal) and start.is_int and int(start.name) >= 1
    known = length is None or (isinstance(length, exp.Literal) and length.is_int)
    return "" if plain and known else "substring whose start and length are not positive constants"


def _truncated(node: exp.Expr, columns: Sequence[Column]) -> str:
    return "" if infer(node.this, columns) == "timestamp" else "date_trunc of anything but timestamptz"


def _interval(node: exp.Expr, columns: Sequence[Column]) -> str:
    parent = node.parent
    other = parent.this if isinstance(parent, exp.Add | exp.Sub) else None
    fits = other is not None and infer(other, columns) in {"timestamp", "timestamp_ntz"}
    return "" if fits else "an interval that is not added to a timestamp"


def _grouping(node: exp.Expr, _columns: Sequence[Column]) -> str:
    return "" if len(node.expressions) == 1 else "grouping of several columns"


def _joined_text(node: exp.Expr, columns: Sequence[Column]) -> str:
    """string_agg in an order of its own, over text, with a constant between."""
    ordered = isinstance(node.this, exp.Order)
    value = node.this.this if ordered else node.this
    bare = value.expressions[0] if isinstance(value, exp.Distinct) else value
    plain = infer(bare, columns) == "string" and isinstance(node.args.get("separator"), exp.Literal)
    return "" if ordered and plain else f"{_named(node)}, unless it joins text by a constant in an order"


def _trim(node: exp.Expr, _columns: Sequence[Column]) -> str:
    return _named(node) if node.args.get("expression") is not None else ""


_SPECIAL = {
    exp.Cast: _cast,
    exp.Extract: _extract,
    exp.Round: _round,
    exp.Substring: _substring,
    exp.TimestampTrunc: _truncated,
    exp.DateTrunc: _truncated,
    exp.Interval: _interval,
    exp.Grouping: _grouping,
    exp.GroupConcat: _joined_text,
    exp.Trim: _trim,
}
