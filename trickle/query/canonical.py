"""The one form of a query that FULL, verify and every comparison run: equal inputs give equal rows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlglot import exp
from sqlglot.transforms import move_ctes_to_top_level

from trickle.model.names import RelationName
from trickle.model.ports import Loop
from trickle.query.clock import at_moment
from trickle.query.emit import view_name
from trickle.query.parse import Query
from trickle.query.qualify import relation_of
from trickle.query.recursive import reads_itself
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


@dataclass(frozen=True, slots=True)
class Canonical:
    """The canonical query over plain-row views, and the recursions that are computed before it."""

    sql: str
    loops: tuple[Loop, ...] = ()


def canonical(query: Query, moment: datetime | None = None) -> Canonical:
    """The query as Spark runs it: recursions apart, since Spark knows no UNION in them and stops early."""
    whole = _canonical_ast(query, moment)
    clause = whole.args.get("with_")
    if clause is None or not clause.args.get("recursive"):
        return Canonical(_text(whole))
    loops: list[Loop] = []
    before: list[exp.CTE] = []
    for cte in clause.expressions:
        if reads_itself(cte):
            loops.append(_loop(cte, before))
        else:
            before.append(cte)
    whole.set("with_", exp.With(expressions=[c.copy() for c in before]) if before else None)
    return Canonical(_text(whole), tuple(loops))


def _loop(cte: exp.CTE, before: list[exp.CTE]) -> Loop:
    base, step = _named_as(cte, cte.this.left), cte.this.right.copy()
    if before:
        for part in (base, step):
            part.set("with_", exp.With(expressions=[c.copy() for c in before]))
    return Loop(cte.alias, _text(base), _text(step), cte.alias, once=bool(cte.this.args.get("distinct")))


def _named_as(cte: exp.CTE, first: exp.Query) -> exp.Query:
    """The first part of a recursion, whose columns have the names of the CTE."""
    base = first.copy()
    for select, name in zip(base.selects, cte.args["alias"].columns, strict=False):
        select.replace(exp.alias_(select.unalias(), name.name, quoted=True))
    return base


def _text(ast: exp.Query) -> str:
    return ast.sql("spark", pretty=True, comments=False)


def _write_ctes_once(ast: exp.Query) -> None:
    """Move every WITH to the top, where one that was copied with its subquery is written once.

    Spark's dialect would move them as well, with their copies; names of CTEs are distinct in a query.
    """
    move_ctes_to_top_level(ast)
    clause = ast.args.get("with_")
    if clause is not None:
        clause.set("expressions", list({cte.alias.lower(): cte for cte in reversed(clause.expressions)}.values())[::-1])


def canonical_sql(query: Query, moment: datetime | None = None) -> str:
    """The query in Spark SQL over plain-row views of its inputs, called as `view_name` says.

    With a moment, the current time in it is that moment.
    """
    return _text(_canonical_ast(query, moment))


def _canonical_ast(query: Query, moment: datetime | None) -> exp.Query:
    ast = settle(query)
    _read_views(ast, query)
    _spell_outputs(ast, query)
    _write_ctes_once(ast)
    if moment is None:
        return ast
    fixed = at_moment(ast, moment)
    return fixed if isinstance(fixed, exp.Query) else ast
