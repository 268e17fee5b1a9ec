"""The one form of a query that FULL, verify and every comparison run: equal inputs give equal rows."""

from __future__ import annotations

from datetime import datetime

from sqlglot import exp

from trickle.model.names import RelationName
from trickle.query.clock import at_moment
from trickle.query.emit import view_name
from trickle.query.parse import Query
from trickle.query.qualify import relation_of
from trickle.query.settle import settle


def _read_views(ast: exp.Query, query: Query) -> None:
    for node in list(ast.find_all(exp.Table)):
        name = relation_of(node, query.schemas) if node.db else None
        if name is None:
            continue
        if not node.alias and not node.args.get("pivots"):
            node.set("alias", exp.TableAlias(this=exp.to_identifier(node.name, quoted=True)))
        node.set("this", exp.to_identifier(view_name(name), quoted=True))
        node.set("db", None)


def _spell_outputs(ast: exp.Query, query: Query) -> None:
    """Give the outputs the names their author wrote."""
    first = ast
    while isinstance(first, exp.SetOperation | exp.Subquery):
        first = first.this
    for select, c in zip(first.selects, query.columns, strict=True):
        if isinstance(select, exp.Alias):
            select.set("alias", exp.to_identifier(c.name, quoted=True))


def rows_sql(name: RelationName) -> str:
    """All rows of a stored relation, read from its plain-row view."""
    view = exp.Table(this=exp.to_identifier(view_name(name), quoted=True))
    return exp.select("*").from_(view).sql("spark")


def canonical_sql(query: Query, moment: datetime | None = None) -> str:
    """The query in Spark SQL over plain-row views of its inputs, called as `view_name` says.

    With a moment, the current time in it is that moment.
    """
    ast = settle(query)
    _read_views(ast, query)
    _spell_outputs(ast, query)
    if moment is not None:
        return at_moment(ast, moment).sql("spark", pretty=True, comments=False)
    return ast.sql("spark", pretty=True, comments=False)
