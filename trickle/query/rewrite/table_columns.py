"""Columns renamed where a table is read: a projection; VALUES always says what its columns are called.

SELECT a FROM t AS x(a, b)
SELECT a FROM (SELECT t.k AS a, t.v AS b FROM t) AS x
"""

from __future__ import annotations

from sqlglot import exp

from trickle.model.stream_table import Dialect
from trickle.query.rewrite.sight import Sight, members


def name_columns(query: exp.Query, sight: Sight) -> None:
    """Project the tables of a FROM clause that rename columns, and name the columns of VALUES."""
    if not isinstance(query, exp.Select):
        return
    for node in members(query):
        if isinstance(node, exp.Values):
            _name_values(node, sight)
        elif isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier) and node.alias_column_names:
            _project(node, sight)


def _name_values(node: exp.Values, sight: Sight) -> None:
    alias = node.args.get("alias") or exp.TableAlias(this=exp.to_identifier("_values"))
    if not alias.columns:
        word = "column" if sight.table.dialect is Dialect.POSTGRES else "col"
        width = len(sight.relation(node))
        alias.set("columns", [exp.to_identifier(f"{word}{i}") for i in range(1, width + 1)])
    node.set("alias", alias)


def _project(node: exp.Table, sight: Sight) -> None:
    renamed = [c.name for c in sight.relation(node)]
    alias = node.args["alias"]
    given = len(alias.columns)
    node.set("alias", None)
    stored = [c.name for c in sight.relation(node)]
    if given > len(stored) or (given < len(stored) and sight.table.dialect is Dialect.SPARK):
        sight.fail(f'"{alias.name}" names {given} columns of a table that has {len(stored)}', node)
    items = [exp.alias_(exp.column(s, table=node.name), r) for s, r in zip(stored, renamed, strict=True)]
    name = exp.TableAlias(this=alias.this.copy())
    node.replace(exp.Subquery(this=exp.select(*items).from_(node.copy()), alias=name))
