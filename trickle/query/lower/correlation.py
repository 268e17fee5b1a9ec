"""Which columns of outer queries a subquery reads, and the domain of their values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp

from trickle.model.schema import Column
from trickle.query.lower.context import ColumnKey, Context, Domain
from trickle.query.operators import Distinct, Relation, column
from trickle.query.tree import project
from trickle.query.types import infer


def key_of(node: exp.Column) -> ColumnKey:
    return node.table.lower(), node.name.lower()


def _aliases(select: exp.Select) -> Iterator[str]:
    clause = select.args.get("from_")
    if clause is not None:
        yield clause.this.alias_or_name.lower()
    for join in select.args.get("joins") or []:
        yield join.this.alias_or_name.lower()
    for lateral in select.args.get("laterals") or []:
        yield lateral.alias_or_name.lower()


def _sees(child: exp.Expr) -> bool:
    """Whether a part of a SELECT may name its tables: a CTE may not, nor a subquery in FROM that is not LATERAL."""
    if isinstance(child, exp.With):
        return False
    if isinstance(child, exp.From):
        return isinstance(child.this, exp.Lateral)
    return True


def _bound(node: exp.Column, root: exp.Expr) -> bool:
    """Whether some SELECT within the root has the table that a column names."""
    below: exp.Expr = node
    inside_joined = False
    here = node.parent
    while here is not None:
        if isinstance(here, exp.Join) and below is here.this:
            inside_joined = not isinstance(below, exp.Lateral)
        if isinstance(here, exp.Select):
            if not inside_joined and _sees(below) and node.table.lower() in _aliases(here):
                return True
            inside_joined = False
        if here is root:
            return False
        below, here = here, here.parent
    return False


def free_columns(query: exp.Expr) -> dict[ColumnKey, exp.Column]:
    """The columns a query reads of queries around it."""
    return {key_of(c): c for c in query.find_all(exp.Column) if c.table and not _bound(c, query)}


def domain_of(
    free: Mapping[ColumnKey, exp.Column], relation: Relation, values: Mapping[ColumnKey, exp.Expr], context: Context
) -> Domain:
    """Each combination of the free columns' values that occurs in a relation, once."""
    prefix = context.fresh("outer")
    bindings = []
    names = {}
    for key in sorted(free):
        names[key] = f"{prefix}.{'.'.join(key)}"
        bindings.append((Column(names[key], infer(values[key], relation.columns)), values[key]))
    return Domain(Distinct(project(relation, tuple(bindings))), names)


def same_member(domain: Domain, values: Mapping[ColumnKey, exp.Expr]) -> tuple[exp.Expr, ...]:
    """Conjuncts by which a row around belongs to a member of the domain."""
    return tuple(
        exp.NullSafeEQ(this=values[key].copy(), expression=column(name)) for key, name in sorted(domain.names.items())
    )
