"""Operator trees as text: one line an operator, inputs indented below it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp

from trickle.model.schema import Column
from trickle.query.operators import (
    Aggregate,
    AntiJoin,
    Bindings,
    Consolidate,
    Distinct,
    Empty,
    Explode,
    Filter,
    InnerJoin,
    Negate,
    OuterJoin,
    Project,
    Recursive,
    Relation,
    Restrict,
    Scan,
    SemiJoin,
    TopK,
    UnionAll,
    Values,
    Window,
    Within,
    names,
)


def _sql(expression: exp.Expr) -> str:
    """An expression in Spark SQL, its column names bare."""
    bare = expression.copy()
    for node in bare.find_all(exp.Column):
        node.this.set("quoted", False)
    return bare.sql("spark", comments=False)


def _conjunct(expression: exp.Expr) -> str:
    text = _sql(expression)
    return f"({text})" if isinstance(expression, exp.Or) else text


def _bound(bindings: Bindings) -> str:
    parts = []
    for column, expression in bindings:
        text = _sql(expression)
        parts.append(column.name if text == column.name else f"{column.name} := {text}")
    return ", ".join(parts)


def _all(columns: Iterable[Column]) -> str:
    return ", ".join(names(columns))


def _among(within: Within) -> str:
    return f"{within.column} of " + ", ".join(f"{name} {version}.{key}" for name, version, key in within.keys)


def _top_k(node: TopK) -> str:
    limit = "all" if node.limit is None else str(node.limit)
    after = f" after {node.offset}" if node.offset else ""
    by = f" by {', '.join(node.keys)}" if node.keys else ""
    return f"TopK {limit}{after} in order {', '.join(_sql(o) for o in node.order)}{by}"


def label(relation: Relation) -> str:  # noqa: C901 one case for each operator
    """One line about an operator, without its inputs."""
    match relation:
        case Scan(source, _, columns, version, _, within):
            bounds = f" within {_among(within)}" if within else ""
            return f"Scan {source} {version} ({_all(columns)}){bounds}"
        case Filter(_, condition):
            return f"Filter {_sql(condition)}"
        case Project(_, bindings):
            return f"Project {_bound(bindings)}"
        case UnionAll():
            return "UnionAll"
        case InnerJoin(_, on):
            return f"InnerJoin {' AND '.join(map(_conjunct, on)) or 'TRUE'}"
        case Aggregate(_, keys, aggregates):
            by = f" by {_bound(keys)}" if keys else ""
            return f"Aggregate {_bound(aggregates) or 'nothing'}{by}"
        case Distinct() | Negate() | Consolidate():
            return type(relation).__name__
        case Values(columns, rows):
            return f"Values {len(rows)} rows ({_all(columns)})"
        case Explode(_, generator, produced, outer):
            return f"Explode{' outer' if outer else ''} {_all(produced)} := {_sql(generator)}"
        case OuterJoin(_, _, on) | SemiJoin(_, _, on) | AntiJoin(_, _, on):
            return f"{type(relation).__name__} {' AND '.join(map(_conjunct, on)) or 'TRUE'}"
        case Window(_, partition, functions):
            by = f" by {', '.join(partition)}" if partition else ""
            return f"Window {_bound(functions)}{by}"
        case TopK():
            return _top_k(relation)
        case Recursive(_, _, loop, once):
            return f"Recursive {loop.name}{' once' if once else ''}"
        case Restrict(_, _, keys):
            return f"Restrict {', '.join(a if a == b else f'{a} = {b}' for a, b in keys)}"
        case Empty(columns):
            return f"Empty ({_all(columns)})"


def draw(relation: Relation) -> str:
    """The tree, two spaces a level; a subtree that was shown before is not shown again."""
    return "\n".join(_lines(relation, 0, set()))


def _lines(relation: Relation, depth: int, shown: set[Relation]) -> Iterator[str]:
    again = bool(relation.inputs) and relation in shown
    yield "  " * depth + label(relation) + (" (as above)" if again else "")
    shown.add(relation)
    for child in () if again else relation.inputs:
        yield from _lines(child, depth + 1, shown)
