"""What type a Spark expression has, where that is certain.

Accumulators need exact types, so an answer here is a promise; anything not listed is an empty string, and callers then
take the general form that needs no type.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from sqlglot import exp

from trickle.model.schema import Column
from trickle.query import decimals
from trickle.query.common_type import FLOATS, INTEGERS, MOMENTS, UNKNOWN, VOID, is_number, spark_type, widest
from trickle.query.decimals import Decimal, as_decimal
from trickle.query.function_types import RULES, concatenated, same_number, shifted
from trickle.query.functions import spark_name
from trickle.query.result_types import RESULTS
from trickle.query.type_text import element_of, field_of, struct_of, value_of

__all__ = ["FLOATS", "INTEGERS", "UNKNOWN", "VOID", "infer", "spark_type", "widest"]

Columns = Sequence[Column]


_SUFFIXES = {"l": "bigint", "s": "smallint", "y": "tinyint", "d": "double", "f": "float"}
_NUMBER = re.compile(r"(\d*)(\.?)(\d*)(e[+-]?\d+)?(bd|[lsydf])?")


def _literal(node: exp.Literal) -> str:
    if node.is_string:
        return "string"
    parts = _NUMBER.fullmatch(node.name.lower())
    if parts is None:
        return UNKNOWN
    whole, point, fraction, exponent, suffix = parts.groups()
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    if exponent:
        return UNKNOWN if suffix else "double"
    if point or suffix:
        return str(Decimal(max(len((whole + fraction).lstrip("0")), len(fraction), 1), len(fraction)))
    return "int" if int(whole) < 2**31 else "bigint" if int(whole) < 2**63 else UNKNOWN


def _column(node: exp.Column, columns: Columns) -> str:
    name = f"{node.table}.{node.name}" if node.table else node.name
    return next((c.type for c in columns if c.name.lower() == name.lower()), UNKNOWN)


def _dot(node: exp.Dot, columns: Columns) -> str:
    return field_of(infer(node.this, columns), node.expression.name)


def _bracket(node: exp.Bracket, columns: Columns) -> str:
    type_ = infer(node.this, columns)
    return element_of(type_) or value_of(type_)


def _struct(node: exp.Struct, columns: Columns) -> str:
    fields = [(f.this, f.expression) for f in node.expressions if isinstance(f, exp.PropertyEQ)]
    if len(fields) != len(node.expressions):
        return UNKNOWN
    return struct_of([(name.name, infer(value, columns)) for name, value in fields])


def _only(node: exp.Distinct, columns: Columns) -> str:
    return infer(node.expressions[0], columns) if len(node.expressions) == 1 else UNKNOWN


_DECIMAL_RULES: dict[str, Callable[[Decimal, Decimal], Decimal]] = {
    "add": decimals.plus,
    "sub": decimals.plus,
    "mul": decimals.times,
    "div": decimals.divided,
    "mod": decimals.remainder,
}
_OPERATIONS = {"try_add": "add", "try_subtract": "sub", "try_multiply": "mul", "try_divide": "div", "try_mod": "mod",
               "mod": "mod", "pmod": "mod"}  # fmt: skip
_DAYS = ("YEAR", "YEARS", "MONTH", "MONTHS", "WEEK", "WEEKS", "DAY", "DAYS")


def _operand(node: exp.Expr, type_: str) -> Decimal | None:
    """An operand of decimal arithmetic; an integer literal counts only the digits it has."""
    bare = node.this if isinstance(node, exp.Neg) else node
    if isinstance(bare, exp.Literal) and type_ in INTEGERS:
        return Decimal(len(str(int(bare.name.rstrip("lLsSyY")))), 0)
    return as_decimal(type_)


def _numbers(operation: str, nodes: Sequence[exp.Expr], left: str, right: str) -> str:
    if left in INTEGERS and right in INTEGERS:
        return "double" if operation == "div" else widest([left, right])
    if left in FLOATS or right in FLOATS:
        return left if left == right and operation != "div" else "double"
    a, b = _operand(nodes[0], left), _operand(nodes[1], right)
    return str(_DECIMAL_RULES[operation](a, b)) if a and b else UNKNOWN


def _summands(node: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(node, exp.Add | exp.Paren):
        for part in node.iter_expressions():
            yield from _summands(part)
    else:
        yield node


def _moved(moment: str, by: exp.Expr, type_: str) -> str:
    """A date or time plus an interval or a number of days."""
    bare = by.unnest()
    if moment != "date" and isinstance(bare, exp.Add) and all(isinstance(p, exp.Interval) for p in _summands(bare)):
        return moment
    if moment == "date" and type_ in INTEGERS[:3]:
        return "date"
    if not isinstance(bare, exp.Interval):
        return UNKNOWN
    unit = str(bare.args.get("unit") or "").upper()
    if moment == "date":
        return "date" if unit in _DAYS else UNKNOWN
    return moment


def _arithmetic(operation: str, nodes: Sequence[exp.Expr], columns: Columns) -> str:
    left, right = (infer(node, columns) for node in nodes)
    if is_number(left) and is_number(right):
        return _numbers(operation, nodes, left, right)
    if left in MOMENTS and operation in {"add", "sub"}:
        return _moved(left, nodes[1], right)
    if right in MOMENTS and operation == "add":
        return _moved(right, nodes[0], left)
    return UNKNOWN


def _binary(node: exp.Binary, columns: Columns) -> str:
    return _arithmetic(node.key, [node.left, node.right], columns)


def _bitwise(node: exp.Binary, columns: Columns) -> str:
    type_ = widest([infer(node.left, columns), infer(node.right, columns)])
    return type_ if type_ in INTEGERS else UNKNOWN


def _negative(node: exp.Neg, columns: Columns) -> str:
    """The smallest integers are literals of their own: their digits alone would not fit."""
    if isinstance(node.this, exp.Literal) and node.this.name in {str(2**31), str(2**63)}:
        return "int" if node.this.name == str(2**31) else "bigint"
    return same_number([infer(node.this, columns)])


def _case(node: exp.Case, columns: Columns) -> str:
    branches = [branch.args["true"] for branch in node.args["ifs"]]
    default = node.args.get("default")
    return widest(infer(branch, columns) for branch in ([*branches, default] if default is not None else branches))


def _if(node: exp.If, columns: Columns) -> str:
    default = node.args.get("false")
    return widest([infer(node.args["true"], columns), infer(default, columns) if default is not None else VOID])


def _arguments(node: exp.Expr) -> list[exp.Expr]:
    """The arguments of a call in the order they are written, as far as their types matter."""
    if isinstance(node, exp.Anonymous):
        return list(node.expressions)
    if isinstance(node, exp.Extract):
        return [node.this, node.expression]
    if isinstance(node, exp.TsOrDsAdd):
        return [node.this, node.expression]
    if isinstance(node, exp.VarMap):
        return _pairs(node)
    found: list[exp.Expr] = []
    for value in node.args.values():
        found += [v for v in (value if isinstance(value, list) else [value]) if isinstance(v, exp.Expr)]
    return found


def _pairs(node: exp.VarMap) -> list[exp.Expr]:
    keys, values = node.args["keys"].expressions, node.args["values"].expressions
    return [part for pair in zip(keys, values, strict=True) for part in pair]


def _called(node: exp.Expr, columns: Columns) -> str:
    name = spark_name(node)
    if name in RESULTS:
        return RESULTS[name]
    arguments = _arguments(node)
    if name in _OPERATIONS and len(arguments) == 2:
        return _arithmetic(_OPERATIONS[name], arguments, columns)
    types = [infer(argument, columns) for argument in arguments]
    try:
        return RULES[name](types, arguments) if name in RULES and types else UNKNOWN
    except (IndexError, ValueError):
        return UNKNOWN


def _within_group(node: exp.WithinGroup, columns: Columns) -> str:
    """PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x), and MODE."""
    order = node.expression.expressions[0].this if isinstance(node.expression, exp.Order) else None
    type_ = infer(order, columns) if order is not None else UNKNOWN
    name, arguments = spark_name(node.this), _arguments(node.this)
    if name in {"percentile_cont", "percentile_disc"} and arguments and isinstance(arguments[0], exp.Literal):
        return "double" if is_number(type_) else UNKNOWN
    return type_ if name == "mode" else infer(node.this, columns) if name in {"listagg", "string_agg"} else UNKNOWN


_BOOLEAN = (
    exp.Predicate, exp.And, exp.Or, exp.Not, exp.Is, exp.In, exp.Between, exp.Like, exp.ILike, exp.RegexpLike,
    exp.NullSafeEQ, exp.NullSafeNEQ, exp.Boolean, exp.StartsWith, exp.EndsWith, exp.Contains, exp.LogicalAnd,
    exp.LogicalOr, exp.Escape,
)  # fmt: skip
_TRANSPARENT = (exp.Paren, exp.Alias, exp.Filter, exp.Window, exp.IgnoreNulls, exp.RespectNulls, exp.Order)
_EACH: tuple[tuple[tuple[type[exp.Expr], ...], Callable[..., str]], ...] = (
    ((exp.Column,), _column),
    ((exp.Literal,), lambda node, _: _literal(node)),
    ((exp.RawString,), lambda _, __: "string"),
    ((exp.HexString,), lambda _, __: "binary"),
    ((exp.Null,), lambda _, __: VOID),
    ((exp.Query,), lambda _, __: UNKNOWN),
    ((exp.Cast,), lambda node, _: spark_type(node.args["to"])),
    (_BOOLEAN, lambda _, __: "boolean"),
    (_TRANSPARENT, lambda node, columns: infer(node.this, columns)),
    ((exp.WithinGroup,), _within_group),
    ((exp.Distinct,), _only),
    ((exp.IntDiv,), lambda _, __: "bigint"),
    ((exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod), _binary),
    ((exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor), _bitwise),
    ((exp.BitwiseLeftShift, exp.BitwiseRightShift), lambda node, columns: shifted(infer(node.this, columns))),
    ((exp.BitwiseNot,), lambda node, columns: same_number([infer(node.this, columns)])),
    ((exp.Neg,), _negative),
    ((exp.DPipe,), lambda node, columns: concatenated([infer(node.left, columns), infer(node.right, columns)])),
    ((exp.Case,), _case),
    ((exp.If,), _if),
    ((exp.Bracket,), _bracket),
    ((exp.Dot,), _dot),
    ((exp.Struct,), _struct),
    ((exp.Func,), _called),
)


def infer(expression: exp.Expr, columns: Columns) -> str:
    """The Spark type of an expression over these columns, or an empty string."""
    for classes, rule in _EACH:
        if isinstance(expression, classes):
            return rule(expression, columns)
    return UNKNOWN
