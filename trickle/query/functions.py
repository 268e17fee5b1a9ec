"""What a call is to a delta: a value of its row alone, of the clock, of chance, of many rows, or rows of its own.

A delta retracts a row by computing it again, so an expression that does not give the same value whenever it sees the
same row has no delta.
"""

from __future__ import annotations

import re

import sqlglot
from sqlglot import exp

from trickle.query import builtins

_OPERATORS = """
Add Alias AtTimeZone Between BitwiseAnd BitwiseLeftShift BitwiseNot BitwiseOr BitwiseRightShift BitwiseXor Boolean
Bracket Column DPipe DataType DataTypeParam ColumnDef Div Dot EQ Escape FromTimeZone GT GTE HexString ILike Identifier
In IntDiv Interval IntervalSpan Is JSONPath JSONPathKey JSONPathRoot JSONPathSubscript Kwarg LT LTE Lambda Like Literal
Mod Mul NEQ Neg Not Null NullSafeEQ NullSafeNEQ Paren PropertyEQ RawString Sub Tuple Var
"""
OPERATORS: frozenset[type[exp.Expr]] = frozenset(getattr(exp, name) for name in _OPERATORS.split())
"""Syntax that depends on its operands alone."""

_NAMED: dict[type[exp.Expr], str] = {
    exp.ApproxQuantile: "percentile_approx",
    exp.ArrayUniqueAgg: "collect_set",
    exp.ArraySlice: "slice",
    exp.BitwiseAndAgg: "bit_and",
    exp.BitwiseCount: "bit_count",
    exp.BitwiseOrAgg: "bit_or",
    exp.BitwiseXorAgg: "bit_xor",
    exp.CurrentDatetime: "current_timestamp",
    exp.CurrentTimestampLTZ: "current_timestamp",
    exp.DecodeCase: "decode",
    exp.Format: "format_string",
    exp.FromBase64: "unbase64",
    exp.GenerateSeries: "sequence",
    exp.GroupConcat: "listagg",
    exp.JSONExtractScalar: "get_json_object",
    exp.JSONFormat: "to_json",
    exp.JSONKeys: "json_object_keys",
    exp.Map: "map_from_arrays",
    exp.Pad: "lpad",
    exp.Quantile: "percentile",
    exp.RegexpSplit: "split",
    exp.SafeAdd: "try_add",
    exp.SafeDivide: "try_divide",
    exp.SafeMultiply: "try_multiply",
    exp.SafeSubtract: "try_subtract",
    exp.StrPosition: "locate",
    exp.StrToDate: "to_date",
    exp.StrToTime: "to_timestamp",
    exp.StrToUnix: "unix_timestamp",
    exp.TimeToStr: "date_format",
    exp.TimestampAdd: "timestampadd",
    exp.TimestampFromParts: "make_timestamp",
    exp.TimestampTrunc: "date_trunc",
    exp.ToBase64: "base64",
    exp.TsOrDsAdd: "date_add",
    exp.TsOrDsDiff: "datediff",
    exp.TsOrDsToDate: "to_date",
    exp.Unicode: "ascii",
    exp.UnixToStr: "from_unixtime",
    exp.VarMap: "map",
}
"""Classes that sqlglot calls otherwise than Spark does."""

_KNOWN = (
    builtins.DETERMINISTIC | builtins.CLOCK | builtins.REFUSED
    | builtins.AGGREGATES | builtins.GROUPING | builtins.WINDOW | builtins.GENERATORS
)  # fmt: skip

_POSTGRES_CLOCK = frozenset({"statement_timestamp", "clock_timestamp", "transaction_timestamp", "timeofday"})
_CLOCK_WORD = re.compile(r"\s*(now|today|tomorrow|yesterday)(\s+\S.*)?\s*", re.IGNORECASE)
_TIME_ONLY = re.compile(r"\s*T?\d{1,2}:.*", re.IGNORECASE)
_TEXT = (exp.Alias, exp.Like, exp.ILike, exp.RegexpLike, exp.Concat, exp.ConcatWs, exp.DPipe, exp.Interval, exp.Lower,
         exp.Upper)  # fmt: skip
"""What takes a text for a text, and never for a moment."""


def _is_moment(type_: exp.Expr | None) -> bool:
    return type_ is not None and type_.sql("spark").upper().startswith(("TIMESTAMP", "DATE"))


def clock_word(node: exp.Expr) -> str:
    """A text that Spark reads as a moment near the current one: 'today', or a time without a date."""
    if not isinstance(node, exp.Literal) or not node.is_string or isinstance(node.parent, _TEXT):
        return ""
    if _CLOCK_WORD.fullmatch(node.name):
        return node.name
    cast = isinstance(node.parent, exp.Cast) and _is_moment(node.parent.args["to"])
    return node.name if cast and _TIME_ONLY.fullmatch(node.name) else ""


def clock_function(node: exp.Expr) -> str:
    """The name of a function whose value is the current time, or nothing."""
    word = clock_word(node)
    if word:
        return f"'{word}'"
    name = spark_name(node)
    if name in {"unix_timestamp", "to_unix_timestamp"} and not any(node.iter_expressions()):
        return name
    return name if name in builtins.CLOCK or name in _POSTGRES_CLOCK else ""


def function_name(node: exp.Expr) -> str:
    """What a function is called in SQL."""
    if isinstance(node, exp.Anonymous):
        return node.name.lower()
    return node.sql_name().lower() if isinstance(node, exp.Func) else node.key


def spark_name(node: exp.Expr) -> str:
    """What Spark calls a function, in lower case; empty for anything else."""
    if isinstance(node, exp.Anonymous):
        return node.name.lower()
    if not isinstance(node, exp.Func):
        return ""
    known = [name.lower() for name in node.sql_names() if name.lower() in _KNOWN]
    return _NAMED.get(type(node)) or (known[0] if known else function_name(node))


def is_aggregate(node: exp.Expr) -> bool:
    """Whether a call is of an aggregate function, over a window or not; its FILTER and WITHIN GROUP stand above it."""
    return spark_name(node) in builtins.AGGREGATES


def is_generator(node: exp.Expr) -> bool:
    """Whether a call yields rows from one row."""
    return spark_name(node) in builtins.GENERATORS


def is_grouping(node: exp.Expr) -> bool:
    """Whether a call tells by which of several grouping sets its row was made."""
    return spark_name(node) in builtins.GROUPING


def is_window_only(node: exp.Expr) -> bool:
    """Whether a function needs an OVER clause."""
    return spark_name(node) in builtins.WINDOW


def open_to_order(node: exp.Expr) -> bool:
    """Whether an aggregate may give different values for the same rows in different orders."""
    return spark_name(node) in builtins.OPEN_TO_ORDER


def empty_value(node: exp.Expr) -> exp.Expr | None:
    """What an aggregate gives over no rows (an empty array without a type yet); None when no literal says it."""
    value = builtins.EMPTY.get(spark_name(node))
    return sqlglot.parse_one(value, dialect="spark") if value else None


def deterministic(node: exp.Expr) -> bool:
    """Whether one node, apart from its arguments, depends on nothing but them."""
    if isinstance(node, exp.Any | exp.All):
        return isinstance(node.parent, exp.Like | exp.ILike)
    if isinstance(node, exp.Exists):
        return not isinstance(node.this, exp.Query)
    if isinstance(node, exp.DataType):
        return not node.args.get("collate")
    return type(node) in OPERATORS or spark_name(node) in builtins.DETERMINISTIC
