"""The types of functions by name, from the types of their arguments; a test compares them with Spark's own.

Each rule sees the types of the arguments, and the arguments themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from trickle.query import decimals
from trickle.query.common_type import FLOATS, INTEGERS, MOMENTS, PLAIN, UNKNOWN, is_number, widest
from trickle.query.decimals import parse_decimal
from trickle.query.type_text import array_of, element_of, key_of, map_of, value_of


def _summed(types: Sequence[str], _: Sequence[exp.Expr]) -> str:
    decimal = parse_decimal(types[0])
    if decimal:
        return str(decimals.summed(decimal))
    return "bigint" if types[0] in INTEGERS else "double" if types[0] in FLOATS else UNKNOWN


def _averaged(types: Sequence[str], _: Sequence[exp.Expr]) -> str:
    decimal = parse_decimal(types[0])
    if decimal:
        return str(decimals.averaged(decimal))
    return "double" if is_number(types[0]) else UNKNOWN


def same_number(types: Sequence[str], _: Sequence[exp.Expr] = ()) -> str:
    """The type of the first argument, if that is a number."""
    return types[0] if is_number(types[0]) else UNKNOWN


def _rounded(types: Sequence[str], arguments: Sequence[exp.Expr]) -> str:
    decimal = parse_decimal(types[0])
    digits = arguments[1] if len(arguments) > 1 else exp.Literal.number(0)
    if not decimal:
        return types[0] if is_number(types[0]) else UNKNOWN
    return str(decimals.rounded(decimal, int(digits.sql()))) if digits.is_int else UNKNOWN


def _whole(types: Sequence[str], arguments: Sequence[exp.Expr]) -> str:
    decimal = parse_decimal(types[0])
    if len(arguments) != 1 or not is_number(types[0]):
        return UNKNOWN
    return str(decimals.whole(decimal)) if decimal else "bigint"


def _text_or_bytes(types: Sequence[str], _: Sequence[exp.Expr]) -> str:
    return "binary" if types[0] == "binary" else "string" if types[0] in PLAIN else UNKNOWN


def _text(types: Sequence[str], _: Sequence[exp.Expr]) -> str:
    return "string" if set(types) <= PLAIN - {"binary"} else UNKNOWN


def _not_a_number(types: Sequence[str], _: Sequence[exp.Expr]) -> str:
    return "float" if set(types) == {"float"} else "double" if all(map(is_number, types)) else UNKNOWN


def _alike(types: Sequence[str], _: Sequence[exp.Expr]) -> str:
    return types[0] if len(set(types)) == 1 else UNKNOWN


def _ranked(types: Sequence[str], arguments: Sequence[exp.Expr]) -> str:
    return types[0] if len(arguments) == 2 else array_of(types[0])


def _percentile(types: Sequence[str], arguments: Sequence[exp.Expr]) -> str:
    return "double" if is_number(types[0]) and isinstance(arguments[1], exp.Literal) else UNKNOWN


def _approximate(types: Sequence[str], arguments: Sequence[exp.Expr]) -> str:
    return types[0] if is_number(types[0]) and isinstance(arguments[1], exp.Literal) else UNKNOWN


def _days_between(types: Sequence[str], _: Sequence[exp.Expr]) -> str:
    return "int" if len(types) == 2 else "bigint"


def _days_later(types: Sequence[str], _: Sequence[exp.Expr]) -> str:
    return "date" if len(types) == 2 else UNKNOWN


def _part(types: Sequence[str], arguments: Sequence[exp.Expr]) -> str:
    """EXTRACT of a date or time; of an interval it has other types."""
    if types[1] not in MOMENTS:
        return UNKNOWN
    return "decimal(8,6)" if arguments[0].name.upper() in {"SECOND", "S", "SEC", "SECONDS", "SECS"} else "int"


def _reversed(types: Sequence[str], arguments: Sequence[exp.Expr]) -> str:
    return types[0] if element_of(types[0]) else _text_or_bytes(types, arguments)


def shifted(type_: str) -> str:
    """The type of shifted bits."""
    return "bigint" if type_ == "bigint" else "int" if type_ in INTEGERS else UNKNOWN


def concatenated(types: Sequence[str]) -> str:
    """The type of values joined end to end."""
    if set(types) <= PLAIN - {"binary"} and types:
        return "string"
    return types[0] if len(set(types)) == 1 and (element_of(types[0]) or types[0] == "binary") else UNKNOWN


_Rule = Callable[[Sequence[str], Sequence[exp.Expr]], str]


def _first_of(type_: Callable[[str], str]) -> _Rule:
    return lambda types, _: type_(types[0])


_AS_FIRST = """
any_value array_compact array_distinct array_sort bit_and bit_or bit_xor filter first first_value lag last
last_value lead map_filter max min mode nth_value nullif slice sort_array
"""
RULES: dict[str, _Rule] = {
    **dict.fromkeys(("sum", "try_sum"), _summed),
    **dict.fromkeys(("avg", "mean", "try_avg", "regr_avgy"), _averaged),
    "regr_avgx": lambda types, nodes: _averaged(types[1:], nodes),
    **dict.fromkeys(("abs", "negative", "positive", "nullifzero", "counter_diff"), same_number),
    "zeroifnull": lambda types, _: widest([types[0], "int"]),
    **dict.fromkeys(("round", "bround"), _rounded),
    **dict.fromkeys(("ceil", "ceiling", "floor"), _whole),
    **dict.fromkeys(("left", "listagg", "string_agg", "substr", "substring"), _text_or_bytes),
    **dict.fromkeys(("lpad", "overlay", "rpad"), _text),
    "nanvl": _not_a_number,
    **dict.fromkeys(_AS_FIRST.split(), _first_of(lambda type_: type_)),
    **dict.fromkeys(("array_append", "array_prepend", "array_remove"),
                    lambda types, _: types[0] if element_of(types[0]) == types[1] else UNKNOWN),
    **dict.fromkeys(("array_except", "array_intersect", "array_union", "map_concat"), _alike),
    **dict.fromkeys(("max_by", "min_by"), _ranked),
    **dict.fromkeys(("array_agg", "collect_list", "collect_set", "array_repeat"), _first_of(array_of)),
    "collect_union": _alike,
    **dict.fromkeys(("array_max", "array_min", "get", "flatten"), _first_of(element_of)),
    **dict.fromkeys(("element_at", "try_element_at"), _first_of(lambda type_: element_of(type_) or value_of(type_))),
    "map_keys": _first_of(lambda type_: array_of(key_of(type_))),
    "map_values": _first_of(lambda type_: array_of(value_of(type_))),
    "map_from_arrays": lambda types, _: map_of(element_of(types[0]), element_of(types[1])),
    "map": lambda types, _: map_of(widest(types[::2]), widest(types[1::2])),
    "array": lambda types, _: array_of(widest(types)),
    **dict.fromkeys(("coalesce", "greatest", "ifnull", "least", "nvl"), lambda types, _: widest(types)),
    "nvl2": lambda types, _: widest(types[1:]),
    "concat": lambda types, _: concatenated(types),
    "percentile": _percentile,
    **dict.fromkeys(("approx_percentile", "percentile_approx"), _approximate),
    "median": lambda types, _: "double" if is_number(types[0]) else UNKNOWN,
    **dict.fromkeys(("date_diff", "datediff"), _days_between),
    **dict.fromkeys(("date_add", "dateadd"), _days_later),
    **dict.fromkeys(("extract", "date_part", "datepart"), _part),
    "reverse": _reversed,
    **dict.fromkeys(("shiftleft", "shiftright", "shiftrightunsigned"), _first_of(shifted)),
}  # fmt: skip
