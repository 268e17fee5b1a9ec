"""Scalar expressions: checked node by node, their columns renamed to those of the operator below."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from sqlglot import exp

from trickle.errors import NotDifferentiableError
from trickle.query.functions import clock_function, deterministic, function_name, is_aggregate, is_generator
from trickle.query.location import of_node
from trickle.query.lower.context import ColumnKey, Context
from trickle.query.lower.correlation import key_of
from trickle.query.operators import Relation, column

Names = Mapping[ColumnKey, str]
"""The column of a relation that `(alias, column)` stands for."""


def names_of(relations: Iterable[Relation]) -> dict[ColumnKey, str]:
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


def called(node: exp.Expr, context: Context) -> str:
    """A function by the name its author used."""
    at = node.meta
    written = context.table.sql[at["start"] : at["end"] + 1] if "start" in at else ""
    return written.lower() if written.isidentifier() else function_name(node)


def _construct(node: exp.Expr, context: Context) -> str:
    """What an expression without a rule is called."""
    if isinstance(node, exp.Window):
        return f"window function {called(node.this, context).upper()} in this place"
    if isinstance(node, exp.Query | exp.Exists):
        return "subquery in this place"
    if isinstance(node, exp.AggFunc) or is_aggregate(node):
        return f"aggregate function {called(node, context).upper()} in this place"
    if is_generator(node):
        return f"function {called(node, context)}, which yields rows, in this place"
    return f"function {called(node, context)}" if isinstance(node, exp.Func) else f"{node.key} expression"


def check_scalar(expression: exp.Expr, context: Context) -> None:
    """Refuse anything but deterministic functions of columns and literals."""
    for node in expression.walk():
        if isinstance(node, exp.In) and (node.args.get("query") or node.args.get("unnest")):
            raise context.refuse("IN (subquery) in this place", node)
        if not deterministic(node):
            raise context.refuse(_construct(node, context), node)


def has_subquery(expression: exp.Expr) -> bool:
    return expression.find(exp.Query, exp.Exists) is not None


def subqueries(expression: exp.Expr) -> list[exp.Expr]:
    """The outermost subqueries of an expression: scalar ones and EXISTS."""
    found: list[exp.Expr] = []
    waiting = [expression]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, exp.Query | exp.Exists):
            found.append(node)
        else:
            waiting.extend(node.iter_expressions())
    return found


def resolve(expression: exp.Expr, names: Names, context: Context) -> exp.Expr:
    """A copy of a checked expression that names the columns of the relation below."""
    check_scalar(expression, context)
    return renamed(expression, names, context)


def renamed(expression: exp.Expr, names: Names, context: Context) -> exp.Expr:
    """A copy that names the columns of the relation below, not checked."""

    def known(node: exp.Column) -> exp.Expr:
        name = names.get(key_of(node))
        if name is None:
            raise context.refuse(f"reference to {node.sql('spark')} outside its FROM clause", node)
        return column(name)

    return with_columns(expression, known)


def with_columns(expression: exp.Expr, value: Callable[[exp.Column], exp.Expr]) -> exp.Expr:
    """A copy in which every column is replaced."""

    def replaced(node: exp.Expr) -> exp.Expr:
        return value(node) if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star) else node

    return expression.copy().transform(replaced, copy=False)
