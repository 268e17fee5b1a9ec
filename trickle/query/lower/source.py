"""FROM and JOIN: scans, subqueries and CTEs under their aliases, inner joins flattened into one."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from trickle.model.schema import Column
from trickle.query.lower.context import Context, refuse_other_arguments
from trickle.query.lower.expression import Names, conjuncts, names_of, resolve
from trickle.query.operators import Relation, Scan, column, project

_TABLE = frozenset({"this", "db", "catalog", "alias"})
_SUBQUERY = frozenset({"this", "alias"})
_JOIN = frozenset({"this", "on", "side", "kind", "using", "method", "hint"})

_READING = ("expressions", "joins", "where", "group", "having")

LowerQuery = Callable[[exp.Query, Context], Relation]


def _check_type(c: Column, node: exp.Expr, context: Context) -> None:
    kind = next((k for k in ("map<", "variant") if k in c.type), "")
    if kind:
        raise context.refuse(f'column "{c.name}" of type {kind.rstrip("<").upper()}', node)


def _alias(node: exp.Expr, context: Context) -> str:
    alias = node.alias_or_name
    if "." in alias:
        raise context.refuse(f'table alias "{alias}" with a dot', node)
    return alias


def _used(select: exp.Select, alias: str) -> set[str]:
    clauses = [e for key in _READING for e in _listed(select.args.get(key))]
    columns = [c for clause in clauses for c in clause.find_all(exp.Column)]
    return {c.name.lower() for c in columns if c.table.lower() == alias.lower()}


def _listed(clause: exp.Expr | list[exp.Expr] | None) -> list[exp.Expr]:
    return clause if isinstance(clause, list) else [clause] if clause is not None else []


def _scan(node: exp.Table, select: exp.Select, context: Context) -> Scan:
    """The columns the query uses of a stored relation, and at least one."""
    wanted = (node.db.lower(), node.name.lower())
    name = next(n for n in context.schemas if (n.schema.lower(), n.table.lower()) == wanted)
    alias, stored = _alias(node, context), context.schemas[name].columns
    used = _used(select, alias)
    kept = [c for c in stored if c.name.lower() in used] or list(stored[:1])
    for c in kept:
        _check_type(c, node, context)
    columns = tuple(Column(f"{alias}.{c.name}", c.type, c.nullable) for c in kept)
    unread = tuple(c.name for c in stored if c not in kept)
    return Scan(name, tuple(c.name for c in kept), columns, unread=unread)


def under_alias(relation: Relation, alias: str) -> Relation:
    """A subquery's columns, named as its alias says."""
    return project(
        relation, tuple((Column(f"{alias}.{c.name}", c.type, c.nullable), column(c.name)) for c in relation.columns)
    )


def _table(node: exp.Table, select: exp.Select, context: Context, lower_query: LowerQuery) -> Relation:
    refuse_other_arguments(node, _TABLE, context)
    if not isinstance(node.this, exp.Identifier):
        raise context.refuse("table function", node)
    alias = node.args.get("alias")
    if isinstance(alias, exp.TableAlias) and alias.columns:
        raise context.refuse("column aliases of a table", node)
    if node.db:
        return _scan(node, select, context)
    query, written_in = context.ctes[node.name]
    return under_alias(lower_query(query, written_in), _alias(node, context))


def _relation(node: exp.Expr, select: exp.Select, context: Context, lower_query: LowerQuery) -> Relation:
    if isinstance(node, exp.Table):
        return _table(node, select, context, lower_query)
    if isinstance(node, exp.Subquery):
        refuse_other_arguments(node, _SUBQUERY, context)
        return under_alias(lower_query(node.this, context), _alias(node, context))
    kind = {"values": "VALUES", "lateral": "LATERAL", "unnest": "UNNEST"}.get(node.key, node.key.upper())
    raise context.refuse(f"{kind} in FROM", node)


def _check_join(join: exp.Join, context: Context) -> None:
    refuse_other_arguments(join, _JOIN, context)
    words = [w for w in (join.method, join.side, join.kind) if w]
    if join.args.get("using") or join.method or join.side or join.kind not in ("", "INNER", "CROSS"):
        raise context.refuse(f"{' '.join(words) or 'USING'} JOIN", join, words[0] if words else "")


def from_clause(
    select: exp.Select, context: Context, lower_query: LowerQuery
) -> tuple[list[Relation], list[exp.Expr], Names]:
    """The joined relations, the conditions that join them, and how expressions name their columns."""
    clause = select.args.get("from_")
    if clause is None:
        raise context.refuse("SELECT without FROM", select)
    joins: list[exp.Join] = select.args.get("joins") or []
    for join in joins:
        _check_join(join, context)
    nodes = [clause.this, *(join.this for join in joins)]
    relations = [_relation(node, select, context, lower_query) for node in nodes]
    names = names_of(relations)
    on = [c for join in joins if join.args.get("on") for c in conjuncts(join.args["on"])]
    return relations, [resolve(c, names, context) for c in on], names
