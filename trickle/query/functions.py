"""Which expressions give the same value whenever they see the same row.

A delta retracts a row by computing it again, so an expression that is not listed here has no delta.
"""

from __future__ import annotations

import sqlglot
from sqlglot import exp

from trickle.query import builtins

_CLASSES = """
Abs Acos Add AddMonths Alias And Array ArrayContains ArraySize Ascii Asin AtTimeZone Atan Atan2 Between
BitwiseAnd BitwiseLeftShift BitwiseNot BitwiseOr BitwiseRightShift BitwiseXor Boolean Bracket Case Cast Cbrt
Ceil Chr Coalesce Column Concat ConcatWs Contains Cos DPipe DataType DataTypeParam DateAdd DateDiff
DateFromUnixDate DateSub DateTrunc Day DayOfMonth DayOfWeek DayOfYear DecodeCase Degrees Div Dot EQ Encode
EndsWith EqualNull Escape Exp Extract Factorial Floor FromBase64 FromTimeZone GT GTE Greatest Hex Hour ILike
Identifier If In Initcap IntDiv Interval IntervalSpan Is IsNan JSONExtractScalar JSONFormat JSONPath JSONPathKey
JSONPathRoot JSONPathSubscript LT LTE LastDay Least Left Length Levenshtein Like Literal Ln Log Lower MD5 Minute
Mod Month MonthsBetween Mul NEQ Nanvl Neg Negative NextDay Not Null NullSafeEQ NullSafeNEQ Nullif Nvl2 Or
Overlay Pad Paren Pi Pow PropertyEQ Quarter RPad Radians RawString RegexpExtract RegexpLike RegexpReplace
RegexpSplit Repeat Replace Reverse Right Rint Round SHA SHA2 SafeAdd SafeDivide SafeMultiply SafeSubtract Second
Sign Sin Soundex SplitPart Sqrt StartsWith StrPosition StrToDate StrToTime Struct Sub Substring Tan TimeToStr
TimestampAdd TimestampDiff TimestampTrunc ToBase64 Translate Trim TryCast TsOrDsAdd TsOrDsDiff TsOrDsToDate
Tuple Unhex Unicode UnixDate Upper Var WeekOfYear WidthBucket Xor Year
"""

DETERMINISTIC: frozenset[type[exp.Expr]] = frozenset(getattr(exp, n) for n in _CLASSES.split() if hasattr(exp, n))
"""Expression classes that depend on their arguments alone."""

_NAMES = """
acosh array_distinct array_except array_intersect array_join array_max array_min array_position array_remove
array_repeat array_size array_sort array_union arrays_overlap asinh atanh bigint bin binary bit_count bit_length
bround btrim cardinality concat conv cosh cot crc32 csc date_format date_part date_sub date_trunc datepart
decimal e elt expm1 find_in_set float format_number format_string getbit hash hypot isnotnull isnull log10 log1p
log2 lower luhn_check make_date mask negative next_day nullifzero nvl octet_length parse_url pmod positive
printf regexp_count regexp_instr regexp_substr rint sec sequence sha shiftrightunsigned sinh slice smallint
sort_array substring_index tanh timestamp_micros timestamp_millis timestamp_seconds tinyint to_binary to_char
to_number to_varchar trunc try_element_at try_to_number unix_date unix_micros unix_millis unix_seconds weekday
xxhash64 zeroifnull
"""
BUILTINS = frozenset(_NAMES.split())
"""Spark's deterministic functions by name, most of them without a class in sqlglot."""

_CLOCK_CLASSES = tuple(
    getattr(exp, name)
    for name in ("CurrentDate", "CurrentTimestamp", "CurrentTime", "CurrentDatetime", "Localtime", "Localtimestamp",
                 "CurrentTimestampLTZ", "CurrentTimezone")
    if hasattr(exp, name)
)  # fmt: skip
_CLOCK_NAMES = frozenset(
    {"now", "curdate", "current_date", "current_timestamp", "localtimestamp",
     "statement_timestamp", "clock_timestamp", "transaction_timestamp", "current_time", "timeofday"}
)  # fmt: skip
_CLOCK_WORDS = frozenset({"now", "today", "tomorrow", "yesterday"})


def clock_function(node: exp.Expr) -> str:
    """The name of a function whose value is the current time, or nothing."""
    if isinstance(node, exp.Anonymous) and node.name.lower() in _CLOCK_NAMES:
        return node.name.lower()
    if isinstance(node, exp.Cast) and isinstance(node.this, exp.Literal) and node.this.name.lower() in _CLOCK_WORDS:
        return f"'{node.this.name}'"
    if isinstance(node, exp.StrToUnix) and node.args.get("this") is None:
        return "unix_timestamp"
    return node.key.replace("current", "current_").rstrip("_") if isinstance(node, _CLOCK_CLASSES) else ""


def function_name(node: exp.Expr) -> str:
    """What a function is called in SQL."""
    if isinstance(node, exp.Anonymous):
        return node.name.lower()
    return node.sql_name().lower() if isinstance(node, exp.Func) else node.key


_NAMED: dict[type[exp.Expr], str] = {
    exp.ApproxQuantile: "percentile_approx",
    exp.ArrayUniqueAgg: "collect_set",
    exp.BitwiseAndAgg: "bit_and",
    exp.BitwiseOrAgg: "bit_or",
    exp.BitwiseXorAgg: "bit_xor",
    exp.GroupConcat: "listagg",
    exp.Quantile: "percentile",
}
"""Classes that sqlglot calls otherwise than Spark does."""


def spark_name(node: exp.Expr) -> str:
    """What Spark calls a function, in lower case; empty for anything else."""
    if isinstance(node, exp.Anonymous):
        return node.name.lower()
    if isinstance(node, exp.Any) and isinstance(node.this, exp.Paren):
        return "any"
    if not isinstance(node, exp.Func):
        return ""
    known = [name.lower() for name in node.sql_names() if name.lower() in _ROWS]
    return _NAMED.get(type(node)) or (known[0] if known else function_name(node))


_ROWS = builtins.AGGREGATES | builtins.GROUPING | builtins.WINDOW | builtins.GENERATORS


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
    if isinstance(node, exp.Func) and not isinstance(node, exp.AggFunc) and function_name(node) in BUILTINS:
        return True
    return type(node) in DETERMINISTIC
