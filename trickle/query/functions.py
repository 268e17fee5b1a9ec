"""Which expressions give the same value whenever they see the same row.

A delta retracts a row by computing it again, so an expression that is not listed here has no delta.
"""

from __future__ import annotations

from sqlglot import exp

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


def deterministic(node: exp.Expr) -> bool:
    """Whether one node, apart from its arguments, depends on nothing but them."""
    if isinstance(node, exp.Func) and not isinstance(node, exp.AggFunc) and function_name(node) in BUILTINS:
        return True
    return type(node) in DETERMINISTIC
