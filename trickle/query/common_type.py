"""Spark's type names, and the one type that values of several types share."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from sqlglot import exp

from trickle.query import decimals
from trickle.query.decimals import as_decimal, parse_decimal
from trickle.query.type_text import array_of, map_of, struct_of

UNKNOWN = ""
VOID = "void"
INTEGERS = ("tinyint", "smallint", "int", "bigint")
FLOATS = ("float", "double")
MOMENTS = ("date", "timestamp_ntz", "timestamp")
"""Each widens to those after it."""
PLAIN = frozenset((*INTEGERS, *FLOATS, *MOMENTS, "string", "boolean", "binary"))


def spark_type(data_type: exp.Expr) -> str:
    """A sqlglot type as Spark prints it; empty when it is not one of the plain ones or made of them."""
    if isinstance(data_type, exp.DataType) and data_type.args.get("collate"):
        return UNKNOWN
    inner = [spark_type(e.args["kind"] if isinstance(e, exp.ColumnDef) else e) for e in data_type.expressions]
    if data_type.is_type("array") and len(inner) == 1:
        return array_of(inner[0])
    if data_type.is_type("map") and len(inner) == 2:
        return map_of(*inner)
    if data_type.is_type("struct"):
        return struct_of([(e.name, type_) for e, type_ in zip(data_type.expressions, inner, strict=True)])
    return _plain_type(data_type.sql("spark").lower().replace(" ", ""))


def _plain_type(text: str) -> str:
    if text == "decimal":
        return "decimal(10,0)"
    if text.startswith(("varchar(", "char(")):
        return "string"
    if text.startswith("decimal(") and "," not in text:
        return text.replace(")", ",0)")
    text = "timestamp" if text == "timestamp_ltz" else text
    return text if text in PLAIN or parse_decimal(text) else UNKNOWN


def is_number(type_: str) -> bool:
    """Whether a type is known to be a number."""
    return type_ in FLOATS or as_decimal(type_) is not None


def _pair(a: str, b: str) -> str:
    """The common type of two, as CASE, COALESCE and UNION find it."""
    if a == b or b == VOID:
        return a
    if a == VOID:
        return b
    if a in INTEGERS and b in INTEGERS:
        return max(a, b, key=INTEGERS.index)
    if a in MOMENTS and b in MOMENTS:
        return max(a, b, key=MOMENTS.index)
    left, right = as_decimal(a), as_decimal(b)
    if left and right:
        return str(decimals.wider(left, right) or UNKNOWN)
    return "double" if is_number(a) and is_number(b) else UNKNOWN


def widest(types: Iterable[str]) -> str:
    """The common type of all; unknown as soon as one is."""
    found = list(types)
    return UNKNOWN if UNKNOWN in found or not found else reduce(_pair, found)
