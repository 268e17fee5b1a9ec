"""IN, EXISTS and their negations as conditions on rows: semi-joins and anti-joins, with SQL's NULL rules kept."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from trickle.query.grouped import is_aggregated
from trickle.query.lower.context import Context
from trickle.query.lower.correlation import domain_of, free_columns, key_of, same_member
from trickle.query.lower.expression import conjuncts, has_subquery, resolve
from trickle.query.lower.subquery import Values
from trickle.query.operators import AntiJoin, Filter, Relation, SemiJoin, UnionAll, column, references
from trickle.query.tree import project

_NOT_PLAIN = ("with_", "group", "having", "distinct", "limit", "offset", "qualify", "laterals")


@dataclass(frozen=True, slots=True)
class Matches:
    """The rows a subquery yields, the conjuncts that tie them to the row around, and its output values."""

    rows: Relation
    on: tuple[exp.Expr, ...]
    outputs: tuple[exp.Expr, ...]


def kept_by(relation: Relation, condition: exp.Expr, values: Values, context: Context) -> Relation | None:
    """The rows of a relation for which a predicate with a subquery is true; None when it is no such predicate."""
    negated, bare = False, condition.unnest()
    while isinstance(bare, exp.Not):
        negated, bare = not negated, bare.this.unnest()
    if isinstance(bare, exp.Exists):
        found = _matches(relation, bare.this, values, context, outputs=False)
        return (AntiJoin if negated else SemiJoin)(relation, found.rows, found.on)
    if isinstance(bare, exp.In) and bare.args.get("query") is not None and not has_subquery(bare.this):
        return _in(relation, bare, values, context, negated=negated)
    return None


def _in(relation: Relation, node: exp.In, values: Values, context: Context, *, negated: bool) -> Relation:
    left = list(node.this.expressions) if isinstance(node.this, exp.Tuple) else [node.this]
    names = {key: e.name for key, e in values.items()}
    ours = [resolve(e, names, context) for e in left]
    found = _matches(relation, node.args["query"].unnest(), values, context, outputs=True)
    if len(ours) != len(found.outputs):
        raise context.wrong(f"IN compares {len(ours)} values with {len(found.outputs)} columns", node)
    if not negated:
        equal = tuple(exp.EQ(this=a, expression=b) for a, b in zip(ours, found.outputs, strict=True))
        return SemiJoin(relation, found.rows, (*found.on, *equal))
    if len(ours) == 1:
        return _not_in(relation, ours[0], found)
    same = exp.and_(*(exp.EQ(this=a, expression=b) for a, b in zip(ours, found.outputs, strict=True)))
    possible = exp.Coalesce(this=same, expressions=[exp.true()])
    return AntiJoin(relation, found.rows, (*found.on, possible))


def _not_in(relation: Relation, ours: exp.Expr, found: Matches) -> Relation:
    """NOT IN: no equal value, no NULL among the values, and a NULL of our own only beside no values at all."""
    theirs = found.outputs[0]
    equal = exp.EQ(this=ours.copy(), expression=theirs.copy())
    known, unknown = relation, None
    if _nullable(ours, relation):
        missing = exp.Is(this=ours.copy(), expression=exp.null())
        known, unknown = Filter(relation, missing.copy().not_()), Filter(relation, missing)
    kept: Relation = AntiJoin(known, found.rows, (*found.on, equal))
    if _nullable(theirs, found.rows):
        nulls = Filter(found.rows, exp.Is(this=theirs.copy(), expression=exp.null()))
        kept = AntiJoin(kept, nulls, found.on)
    return UnionAll((kept, AntiJoin(unknown, found.rows, found.on))) if unknown is not None else kept


def _nullable(value: exp.Expr, relation: Relation) -> bool:
    """Whether a value can be NULL, as far as columns promise."""
    if isinstance(value, exp.Literal):
        return False
    return not isinstance(value, exp.Column) or any(c.nullable for c in relation.columns if c.name == value.name)


# -- the rows of the subquery -------------------------------------------------------------------------------------


def _matches(relation: Relation, query: exp.Expr, values: Values, context: Context, *, outputs: bool) -> Matches:
    """The subquery's rows beside a relation; what ties them to it stays a condition where the query is plain."""
    query = query.unnest()
    free = free_columns(query)
    plain = isinstance(query, exp.Select) and _plain(query) and _tied_by_where_only(query)
    if isinstance(query, exp.Select) and plain:
        return _plain_matches(query, values, context, outputs=outputs)
    if not free:
        lowered = context.lower(query, context.inside(None))
        return _named(lowered.relation, (), len(lowered.relation.columns) if outputs else 0, context)
    domain = domain_of(free, relation, values, context)
    lowered = context.lower(query, context.inside(domain))
    width = len(lowered.relation.columns) - len(domain.columns)
    return _named(lowered.relation, same_member(domain, values), width if outputs else 0, context)


def _named(rows: Relation, on: tuple[exp.Expr, ...], width: int, context: Context) -> Matches:
    """Outputs under names that nothing else has; columns that nothing asks for are left out."""
    prefix = context.fresh("sub")
    asked = {name for c in on for name in references(c)}
    wanted = [(replace(c, name=f"{prefix}.{c.name}"), column(c.name)) for c in rows.columns[:width]]
    others = [(c, column(c.name)) for c in rows.columns if c.name in asked]
    first = rows.columns[0]
    bindings = (*wanted, *others) or ((replace(first, name=f"{prefix}.{first.name}"), column(first.name)),)
    return Matches(project(rows, bindings), on, tuple(column(c.name) for c, _ in wanted))


def _plain(select: exp.Select) -> bool:
    """Whether a SELECT yields a row for each row of its FROM and WHERE."""
    clauses = any(select.args.get(key) for key in _NOT_PLAIN)
    computed = any(s.find(exp.Window, exp.Query) for s in select.selects)
    return bool(select.args.get("from_")) and not clauses and not computed and not is_aggregated(select)


def _tied_by_where_only(select: exp.Select) -> bool:
    """Whether outer columns stand only in conditions of WHERE that have no subquery, and in its outputs."""
    where = select.args.get("where")
    fine = {id(c) for part in (conjuncts(where.this) if where else ()) if not has_subquery(part)
            for c in part.find_all(exp.Column)}  # fmt: skip
    fine |= {id(c) for s in select.selects for c in s.find_all(exp.Column)}
    free = free_columns(select)
    return all(id(c) in fine for c in select.find_all(exp.Column) if key_of(c) in free and c.table)


def _plain_matches(select: exp.Select, values: Values, context: Context, *, outputs: bool) -> Matches:
    block = context.open(select, context.inside(None))
    free = free_columns(select)
    where = select.args.get("where")
    parts = list(conjuncts(where.this)) if where else []
    tying = [c for c in parts if any(key_of(n) in free for n in c.find_all(exp.Column))]
    block.where([c for c in parts if c not in tying])
    chosen = [s.unalias() for s in select.selects] if outputs else []
    return _tied(block.relation, block.names, tying, chosen, values, context)


def _tied(
    rows: Relation,
    names: dict[tuple[str, str], str],
    tying: list[exp.Expr],
    chosen: list[exp.Expr],
    values: Values,
    context: Context,
) -> Matches:
    prefix = context.fresh("sub")
    inner = {key: f"{prefix}.{name}" for key, name in names.items()}
    both = {**{key: e.name for key, e in values.items()}, **inner}
    on = tuple(resolve(c, both, context) for c in tying)
    found = tuple(resolve(c, both, context) for c in chosen)
    asked = {name for e in (*on, *found) for name in references(e)}
    kept = [c for c in rows.columns if f"{prefix}.{c.name}" in asked] or list(rows.columns[:1])
    renamed = project(rows, tuple((replace(c, name=f"{prefix}.{c.name}"), column(c.name)) for c in kept))
    return Matches(renamed, on, found)
