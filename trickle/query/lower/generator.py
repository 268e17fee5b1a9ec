"""Functions that yield rows: how Spark is asked for them, and what their columns are."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from trickle.model.schema import Column
from trickle.query.functions import is_generator, spark_name
from trickle.query.lower.context import Context
from trickle.query.type_text import element_of, fields_of
from trickle.query.types import UNKNOWN, infer

_POSITIONED = ("posexplode", "posexplode_outer")


def explode(node: exp.Expr, context: Context) -> tuple[exp.Expr, bool]:
    """The generator call of a LATERAL or UNNEST, without a rewriting of its own; and whether it keeps every row."""
    call = node.this if isinstance(node, exp.Lateral) else node
    if isinstance(call, exp.Unnest):
        if len(call.expressions) != 1 or call.args.get("offset"):
            raise context.refuse("UNNEST of several arrays", node)
        return exp.Explode(this=call.expressions[0].copy()), False
    if not is_generator(call):
        raise context.refuse(f"LATERAL VIEW of {call.sql('spark')}", node)
    return call.copy(), False


def generated_columns(
    generator: exp.Expr, columns: Sequence[Column], named: Sequence[str], context: Context
) -> list[tuple[str, str]]:
    """Names and types of what a generator yields; names that are not given are Spark's own."""
    types = _types(generator, columns)
    defaults = _default_names(generator, len(types))
    names = list(named) or defaults
    if len(names) > len(types) and not types:
        types = [UNKNOWN] * len(names)
    if len(names) != len(types):
        raise context.refuse(f"{spark_name(generator)} whose columns are not named", generator)
    return list(zip(names, types, strict=True))


def _types(generator: exp.Expr, columns: Sequence[Column]) -> list[str]:
    name = spark_name(generator)
    argument = generator.this if isinstance(generator.this, exp.Expr) else None
    element = element_of(infer(argument, columns)) if argument is not None else UNKNOWN
    if name in ("inline", "inline_outer"):
        return fields_of(element)
    if name in ("explode", "explode_outer"):
        return [element]
    return ["int", element] if name in _POSITIONED else []


def _default_names(generator: exp.Expr, width: int) -> list[str]:
    if spark_name(generator) in ("inline", "inline_outer"):
        return []
    return ["pos", "col"] if spark_name(generator) in _POSITIONED else ["col"][:width]
