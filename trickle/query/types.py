"""What type a Spark expression has, where that is certain.

Accumulators need exact types, so an answer here is a promise; anything not listed is an empty string, and callers then
take the general form that needs no type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce

from sqlglot import exp

from trickle.model.schema import Column
from trickle.query import decimals
from trickle.query.decimals import Decimal, as_decimal, parse_decimal

UNKNOWN = ""
VOID = "void"
INTEGERS = ("tinyint", "smallint", "int", "bigint")
FLOATS = ("float", "double")
_PLAIN = frozenset((*INTEGERS, *FLOATS, "string", "boolean", "date", "timestamp", "timestamp_ntz", "binary"))

_BOOLEAN = (
    exp.Predicate, exp.And, exp.Or, exp.Not, exp.Is, exp.In, exp.Between, exp.Like, exp.ILike, exp.RegexpLike,
    exp.NullSafeEQ, exp.NullSafeNEQ, exp.Boolean, exp.StartsWith, exp.EndsWith, exp.Contains,
)  # fmt: skip
_STRING = (exp.Lower, exp.Upper, exp.Trim, exp.Substring, exp.ConcatWs, exp.Initcap)
_INT = (exp.Length, exp.Year, exp.Month, exp.Day, exp.Quarter, exp.StrPosition)
_DOUBLE = (exp.Sqrt, exp.Exp, exp.Ln, exp.Pow)
_SAME = (exp.Paren, exp.Min, exp.Max, exp.Nullif)
_COMMON = (exp.Coalesce, exp.Greatest, exp.Least)
_DECIMAL_RULES: dict[type[exp.Expr], Callable[[Decimal, Decimal], Decimal]] = {
    exp.Add: decimals.plus,
    exp.Sub: decimals.plus,
    exp.Mul: decimals.times,
    exp.Div: decimals.divided,
    exp.Mod: decimals.remainder,
}


def spark_type(data_type: exp.Expr) -> str:
    """A sqlglot type as Spark prints it; empty when it is not one of the plain ones."""
    text = data_type.sql("spark").lower().replace(" ", "")
    if text == "decimal":
        return "decimal(10,0)"
    if text.startswith(("varchar(", "char(")):
        return "string"
    if text.startswith("decimal(") and "," not in text:
        return text.replace(")", ",0)")
    return text if text in _PLAIN or parse_decimal(text) else UNKNOWN


def _pair(a: str, b: str) -> str:
    """The common type of two, as CASE, COALESCE and UNION find it."""
    if a == b or b == VOID:
        return a
    if a == VOID:
        return b
    if a in INTEGERS and b in INTEGERS:
        return max(a, b, key=INTEGERS.index)
    left, right = as_decimal(a), as_decimal(b)
    if left and right:
        return str(decimals.wider(left, right) or UNKNOWN)
    number = (a in FLOATS or left) and (b in FLOATS or right)
    return "double" if number and "double" in (a, b) else UNKNOWN


def widest(types: Iterable[str]) -> str:
    """The common type of all; unknown as soon as one is."""
    found = list(types)
    return UNKNOWN if UNKNOWN in found or not found else reduce(_pair, found)


def _literal(node: exp.Literal) -> str:
    if node.is_string:
        return "string"
    text = node.name.lower()
    if "e" in text:
        return "double"
    if "." in text:
        whole, fraction = text.split(".")
        digits = len((whole + fraction).lstrip("0"))
        return (
            str(Decimal(max(digits, len(fraction), 1), len(fraction))) if text.replace(".", "").isdigit() else UNKNOWN
        )
    if not text.isdigit():
        return UNKNOWN
    value = int(text)
    return "int" if value < 2**31 else "bigint" if value < 2**63 else UNKNOWN


def _operand(node: exp.Expr, type_: str) -> Decimal | None:
    """An operand of decimal arithmetic; an integer literal counts only the digits it has."""
    bare = node.this if isinstance(node, exp.Neg) else node
    if isinstance(bare, exp.Literal) and type_ in INTEGERS:
        return Decimal(len(str(int(bare.name))), 0)
    return as_decimal(type_)


def _arithmetic(node: exp.Binary, left: str, right: str) -> str:
    numbers = [as_decimal(t) is not None or t in FLOATS for t in (left, right)]
    if not all(numbers):
        return UNKNOWN
    if left in INTEGERS and right in INTEGERS:
        return "double" if isinstance(node, exp.Div) else _pair(left, right)
    if "double" in (left, right) or (isinstance(node, exp.Div) and left in FLOATS and right in FLOATS):
        return "double"
    if left in FLOATS or right in FLOATS:
        return left if left == right else UNKNOWN
    a, b = _operand(node.this, left), _operand(node.expression, right)
    return str(_DECIMAL_RULES[type(node)](a, b)) if a and b else UNKNOWN


def _sum(type_: str) -> str:
    decimal = parse_decimal(type_)
    if decimal:
        return str(decimals.summed(decimal))
    return "bigint" if type_ in INTEGERS else "double" if type_ in FLOATS else UNKNOWN


def _avg(type_: str) -> str:
    decimal = parse_decimal(type_)
    if decimal:
        return str(decimals.averaged(decimal))
    return "double" if type_ in INTEGERS or type_ in FLOATS else UNKNOWN


def _case(node: exp.Case, columns: Sequence[Column]) -> str:
    branches = [branch.args["true"] for branch in node.args["ifs"]]
    default = node.args.get("default")
    return widest(infer(branch, columns) for branch in ([*branches, default] if default is not None else branches))


def _concat(node: exp.Expr, columns: Sequence[Column]) -> str:
    parts = [node.this, node.expression] if isinstance(node, exp.DPipe) else node.expressions
    types = {infer(part, columns) for part in parts}
    return "string" if types <= _PLAIN - {"binary"} and types else UNKNOWN


def _column(node: exp.Column, columns: Sequence[Column]) -> str:
    name = f"{node.table}.{node.name}" if node.table else node.name
    return next((c.type for c in columns if c.name.lower() == name.lower()), UNKNOWN)


def _if(node: exp.If, columns: Sequence[Column]) -> str:
    default = node.args.get("false")
    return widest([infer(node.args["true"], columns), infer(default, columns) if default is not None else VOID])


def _signed(node: exp.Expr, columns: Sequence[Column]) -> str:
    type_ = infer(node.this, columns)
    return type_ if as_decimal(type_) or type_ in FLOATS else UNKNOWN


def _common(node: exp.Expr, columns: Sequence[Column]) -> str:
    return widest(infer(part, columns) for part in [node.this, *node.expressions])


def _binary(node: exp.Binary, columns: Sequence[Column]) -> str:
    return _arithmetic(node, infer(node.left, columns), infer(node.right, columns))


_EACH: tuple[tuple[tuple[type[exp.Expr], ...], Callable[..., str]], ...] = (
    ((exp.Column,), _column),
    ((exp.Literal,), lambda node, _: _literal(node)),
    ((exp.Null,), lambda _, __: VOID),
    ((exp.Cast,), lambda node, _: spark_type(node.args["to"])),
    (_BOOLEAN, lambda _, __: "boolean"),
    ((exp.IntDiv, exp.Count), lambda _, __: "bigint"),
    (_STRING, lambda _, __: "string"),
    (_INT, lambda _, __: "int"),
    (_DOUBLE, lambda _, __: "double"),
    (_SAME, lambda node, columns: infer(node.this, columns)),
    ((exp.Abs, exp.Neg), _signed),
    (_COMMON, _common),
    ((exp.Case,), _case),
    ((exp.If,), _if),
    ((exp.DPipe, exp.Concat), _concat),
    ((exp.Sum,), lambda node, columns: _sum(infer(node.this, columns))),
    ((exp.Avg,), lambda node, columns: _avg(infer(node.this, columns))),
    (tuple(_DECIMAL_RULES), _binary),
)


def infer(expression: exp.Expr, columns: Sequence[Column]) -> str:
    """The Spark type of an expression over these columns, or an empty string."""
    for classes, rule in _EACH:
        if isinstance(expression, classes):
            return rule(expression, columns)
    return UNKNOWN
