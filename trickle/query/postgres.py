"""PostgreSQL meanings written as Spark expressions, where the same text would mean something else."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp
from sqlglot.optimizer.scope import walk_in_scope

from trickle.errors import ProjectError
from trickle.model.schema import Column
from trickle.model.stream_table import StreamTable
from trickle.query.location import of_node, snippet
from trickle.query.outputs import visible_columns
from trickle.query.parse import Schemas
from trickle.query.postgres_limits import difference
from trickle.query.types import INTEGERS, infer


def _refuse(table: StreamTable, what: str, node: exp.Expr, hint: str) -> ProjectError:
    location = of_node(table, node)
    return ProjectError(
        f'stream table "{table.name}": {what}', location=location, snippet=snippet(table, location), hint=hint
    )


def _division(node: exp.Div, columns: Sequence[Column], table: StreamTable) -> exp.Expr | None:
    """int / int truncates in PostgreSQL and gives a double in Spark."""
    left, right = infer(node.this, columns), infer(node.expression, columns)
    if any(infer(total.this, columns) in {"", "bigint"} for total in node.find_all(exp.Sum)):
        raise _refuse(table, "a sum of bigint is numeric", node, "cast it to numeric(p, s) before dividing")
    if left in INTEGERS and right in INTEGERS:
        whole = exp.IntDiv(this=node.this.copy(), expression=node.expression.copy())
        wide = "bigint" in (left, right)
        return whole if wide else exp.cast(whole, "int", dialect="spark")
    if (not left and right in ("", *INTEGERS)) or (not right and left in INTEGERS):
        what = f"cannot tell whether {node.sql('postgres')} divides integers"
        raise _refuse(table, what, node, "cast both sides, to integer or to numeric(p, s)")
    return None


def _minus(node: exp.Sub, columns: Sequence[Column]) -> exp.Expr | None:
    """date - date is a number of days in PostgreSQL and an interval in Spark."""
    if infer(node.this, columns) == infer(node.expression, columns) == "date":
        return exp.DateDiff(this=node.this.copy(), expression=node.expression.copy())
    return None


def _cast(node: exp.Cast, table: StreamTable) -> None:
    """numeric without a scale keeps every digit in PostgreSQL, and none behind the point in Spark."""
    to = node.args["to"]
    if to.is_type(exp.DType.DECIMAL) and not to.expressions:
        raise _refuse(table, "numeric without precision and scale", node, "write numeric(p, s)")


def _logarithm(node: exp.Log) -> exp.Expr | None:
    """log(x) is to base 10 in PostgreSQL and natural in Spark."""
    if node.args.get("expression") is None:
        return exp.Anonymous(this="log10", expressions=[node.this.copy()])
    return None


def _meaning(node: exp.Expr, columns: Sequence[Column], table: StreamTable) -> exp.Expr | None:
    if isinstance(node, exp.Div):
        return _division(node, columns, table)
    if isinstance(node, exp.Sub):
        return _minus(node, columns)
    if isinstance(node, exp.Cast):
        _cast(node, table)
    return _logarithm(node) if isinstance(node, exp.Log) else None


def _check(nodes: Sequence[exp.Expr], columns: Sequence[Column], table: StreamTable) -> None:
    for node in nodes:
        why = difference(node, columns)
        if why:
            hint = "rewrite it, or write this table's query in the spark dialect"
            raise _refuse(table, f"Spark may give another value than PostgreSQL for {why}", node, hint)


def to_spark(ast: exp.Query, schemas: Schemas, table: StreamTable) -> exp.Query:
    """A qualified PostgreSQL query with Spark's meaning; innermost expressions first."""
    ast = ast.copy()
    for scope, columns in visible_columns(ast, schemas):
        found = list(walk_in_scope(scope.expression))
        _check(found, columns, table)
        nodes = [n for n in found if isinstance(n, exp.Div | exp.Sub | exp.Cast | exp.Log)]
        for node in reversed(nodes):
            replacement = _meaning(node, columns, table)
            if replacement is not None and node.parent is not None:
                node.replace(replacement)
    return ast
