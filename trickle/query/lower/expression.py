"""Scalar expressions: checked node by node, their columns renamed to those of the operator below."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sqlglot import exp

from trickle.errors import NotDifferentiableError
from trickle.query.functions import clock_function, deterministic, function_name
from trickle.query.location import of_node
from trickle.query.lower.context import Context
from trickle.query.operators import Relation, column

Names = Mapping[tuple[str, str], str]
"""The column of a relation that `(alias, column)` stands for, both in lower case."""


def names_of(relations: Iterable[Relation]) -> Names:
    """How expressions refer to the columns of relations named `alias.column`."""
    found = {}
    for relation in relations:
        for c in relation.columns:
            alias, _, name = c.name.partition(".")
            found[alias.lower(), name.lower()] = c.name
    return found


def conjuncts(condition: exp.Expr) -> Iterator[exp.Expr]:
    """The parts of a condition that AND connects."""
    bare = condition.unnest()
    if isinstance(bare, exp.And):
        yield from conjuncts(bare.left)
        yield from conjuncts(bare.right)
    else:
        yield bare


def check_clock(ast: exp.Expr, context: Context) -> None:
    """The current time has no delta, wherever it stands."""
    for node in ast.walk():
        name = clock_function(node)
        if name:
            word = name if name.isidentifier() and "start" not in node.meta else ""
            construct = f"{name}: its value changes between refreshes"
            location = of_node(context.table, node, word)
            raise NotDifferentiableError(construct, location=location, volatile=True)


def _called(node: exp.Expr, context: Context) -> str:
    """A function by the name its author used."""
    at = node.meta
    written = context.table.sql[at["start"] : at["end"] + 1] if "start" in at else ""
    return written.lower() if written.isidentifier() else function_name(node)


def _construct(node: exp.Expr, context: Context) -> str:
    """What an expression without a rule is called."""
    if isinstance(node, exp.Window):
        return f"window function {_called(node.this, context).upper()}"
    if isinstance(node, exp.Exists):
        return "EXISTS (subquery)"
    if isinstance(node, exp.Query):
        return "subquery in an expression"
    if isinstance(node, exp.Filter):
        return "FILTER in an aggregate"
    if isinstance(node, exp.WithinGroup):
        return "WITHIN GROUP"
    if isinstance(node, exp.AggFunc):
        return f"aggregate function {_called(node, context).upper()}"
    return f"function {_called(node, context)}" if isinstance(node, exp.Func) else f"{node.key} expression"


def check_scalar(expression: exp.Expr, context: Context) -> None:
    """Refuse anything but deterministic functions of columns and literals."""
    for node in expression.walk():
        if isinstance(node, exp.In) and (node.args.get("query") or node.args.get("unnest")):
            raise context.refuse("IN (subquery)", node)
        if not deterministic(node):
            raise context.refuse(_construct(node, context), node)


def resolve(expression: exp.Expr, names: Names, context: Context) -> exp.Expr:
    """A copy of a checked expression that names the columns of the relation below."""
    check_scalar(expression, context)

    def renamed(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Column):
            return node
        name = names.get((node.table.lower(), node.name.lower()))
        if name is None:
            raise context.refuse(f"reference to {node.sql('spark')} outside its FROM clause", node)
        return column(name)

    return expression.copy().transform(renamed, copy=False)
