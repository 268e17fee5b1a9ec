"""Constructs that are only another spelling, written in plainer SQL before anything else looks at a query.

`RULES_BY_NAME` work on a query as it was written, inner queries before outer ones, and need only the names of columns;
`RULES` work on a query whose every column is qualified, `PREDICATES` on the queries that these leave: some put a query
around another.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from trickle.model.stream_table import StreamTable
from trickle.query.parse import Schemas
from trickle.query.rewrite.by_name import by_position
from trickle.query.rewrite.comma_join import joins_before_commas
from trickle.query.rewrite.distinct_on import number_distinct_rows
from trickle.query.rewrite.group_all import write_out_all
from trickle.query.rewrite.having_subquery import filter_groups
from trickle.query.rewrite.join_construct import select_from_joins
from trickle.query.rewrite.join_using import expand_using
from trickle.query.rewrite.membership import find_members
from trickle.query.rewrite.named_window import inline_windows
from trickle.query.rewrite.pivot import expand_pivots
from trickle.query.rewrite.qualify_clause import filter_windows
from trickle.query.rewrite.quantified import ask_exists
from trickle.query.rewrite.sight import Columns, Sight
from trickle.query.rewrite.table_columns import name_columns
from trickle.query.rewrite.unnest import explode_laterally
from trickle.query.rewrite.unpivot import expand_unpivots

Rule = Callable[[exp.Query, Sight], None]

RULES_BY_NAME: tuple[Rule, ...] = (
    inline_windows,
    expand_pivots,
    expand_unpivots,
    explode_laterally,
    name_columns,
    expand_using,
    by_position,
)
RULES: tuple[Rule, ...] = (
    joins_before_commas,
    write_out_all,
    filter_groups,
    filter_windows,
    number_distinct_rows,
)
PREDICATES: tuple[Rule, ...] = (ask_exists, find_members)


def plainer_as_written(ast: exp.Query, schemas: Schemas, table: StreamTable) -> exp.Query:
    """The same query without the constructs that hide which columns there are."""
    ast = select_from_joins(ast.copy())
    _rewrite(ast, Sight(table, schemas), RULES_BY_NAME)
    return ast


def plainer(ast: exp.Query, schemas: Schemas, table: StreamTable) -> exp.Query:
    """The same qualified query, in constructs that have an operator."""
    ast = ast.copy()
    _rewrite(ast, Sight(table, schemas), RULES)
    _rewrite(ast, Sight(table, schemas), PREDICATES)
    return ast


def _rewrite(query: exp.Query, sight: Sight, rules: tuple[Rule, ...]) -> None:
    """Apply every rule to each query, inner before outer; a rule changes the query it is given in place."""
    sight = _with_clause(query, sight, rules)
    for child in _children(query):
        _rewrite(child, sight, rules)
    for rule in rules:
        rule(query, sight)


def _with_clause(query: exp.Query, sight: Sight, rules: tuple[Rule, ...]) -> Sight:
    clause = query.args.get("with_")
    if clause is None:
        return sight
    for cte in clause.expressions:
        inner = sight.with_cte(cte.alias, _anchor(cte, sight)) if clause.args.get("recursive") else sight
        _rewrite(cte.this, inner, rules)
        sight = sight.with_cte(cte.alias, _named(cte, inner.query(cte.this)))
    return sight


def _anchor(cte: exp.CTE, sight: Sight) -> Columns:
    """A recursive CTE has the columns of its first branch."""
    first = cte.this.this if isinstance(cte.this, exp.SetOperation) else cte.this
    return _named(cte, sight.query(first))


def _named(cte: exp.CTE, columns: Columns) -> Columns:
    alias = cte.args["alias"]
    names = [c.name for c in alias.columns]
    return tuple(type(c)(names[i] if i < len(names) else c.name, c.type) for i, c in enumerate(columns))


def _children(query: exp.Query) -> list[exp.Query]:
    """The queries directly inside one, its CTEs apart."""
    found: list[exp.Query] = []
    stack = [child for key, child in _parts(query) if key != "with_"]
    while stack:
        node = stack.pop()
        if isinstance(node, exp.Select | exp.SetOperation):
            found.append(node)
        else:
            stack += [child for _, child in _parts(node)]
    return found


def _parts(node: exp.Expr) -> list[tuple[str, exp.Expr]]:
    parts = [(key, value if isinstance(value, list) else [value]) for key, value in node.args.items()]
    return [(key, child) for key, children in parts for child in children if isinstance(child, exp.Expr)]
