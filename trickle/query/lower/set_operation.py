"""UNION, INTERSECT and EXCEPT, with and without ALL: unions, and counts of how often each side has a row."""

from __future__ import annotations

from itertools import count

from sqlglot import exp

from trickle.model.schema import Column
from trickle.query.lower.context import Context, Lowered, refuse_other_arguments
from trickle.query.lower.correlation import free_columns
from trickle.query.lower.order import first_rows, is_limited, order_of
from trickle.query.operators import (
    Aggregate,
    Bindings,
    Distinct,
    Explode,
    Filter,
    InnerJoin,
    Relation,
    UnionAll,
    column,
)
from trickle.query.tree import project
from trickle.query.types import UNKNOWN, VOID, widest

_UNDERSTOOD = frozenset({"with_", "this", "expression", "distinct", "order", "limit", "offset"})


def set_operation(ast: exp.SetOperation, context: Context) -> Lowered:
    """Both sides brought to the same columns, then combined."""
    refuse_other_arguments(ast, _UNDERSTOOD, context)
    carried = _carried(ast, context)
    left, right = (_side(side, carried, context) for side in (ast.left, ast.right))
    if len(left.columns) != len(right.columns):
        raise context.wrong(f"the sides of {ast.key.upper()} have different numbers of columns", ast)
    left, right = _aligned(left, right, ast, context)
    combined = _combined(ast, left, right)
    return Lowered(_cut(combined, ast, carried, context))


def _carried(ast: exp.SetOperation, context: Context) -> tuple[Column, ...]:
    domain = context.domain
    correlated = domain is not None and any(key in domain.names for key in free_columns(ast))
    return domain.columns if domain is not None and correlated else ()


def _side(query: exp.Expr, carried: tuple[Column, ...], context: Context) -> Relation:
    """One side; where the other reads outer columns and this does not, for every member of the domain."""
    domain = context.domain
    relation = context.lower(query, context.inside(domain)).relation
    if not carried or domain is None or any(key in domain.names for key in free_columns(query)):
        return relation
    both = InnerJoin((relation, domain.relation))
    return project(both, tuple((c, column(c.name)) for c in (*relation.columns, *carried)))


def _aligned(left: Relation, right: Relation, ast: exp.SetOperation, context: Context) -> tuple[Relation, Relation]:
    types = tuple(widest((a.type, b.type)) for a, b in zip(left.columns, right.columns, strict=True))
    if UNKNOWN in types or VOID in types:
        unclear = left.columns[next(i for i, t in enumerate(types) if t in (UNKNOWN, VOID))].name
        word = ast.key.upper()
        raise context.refuse(f'{word} whose column "{unclear}" has no certain common type', ast.expression, word)
    columns = tuple(Column(c.name, t) for c, t in zip(left.columns, types, strict=True))
    return _as(left, columns), _as(right, columns)


def _as(relation: Relation, columns: tuple[Column, ...]) -> Relation:
    """The relation with other names and wider types."""
    if relation.columns == columns:
        return relation
    bindings = []
    for have, want in zip(relation.columns, columns, strict=True):
        value: exp.Expr = column(have.name)
        bindings.append((want, value if have.type == want.type else exp.cast(value, want.type, dialect="spark")))
    return project(relation, tuple(bindings))


def _combined(ast: exp.SetOperation, left: Relation, right: Relation) -> Relation:
    once = bool(ast.args.get("distinct"))
    if isinstance(ast, exp.Union):
        union = UnionAll((left, right))
        return Distinct(union) if once else union
    counted = _counted(left, right)
    ours, theirs = (column(c.name) for c in counted.columns[-2:])
    if once:
        other = exp.GT if isinstance(ast, exp.Intersect) else exp.EQ
        both = exp.and_(_positive(ours), other(this=theirs, expression=exp.Literal.number(0)))
        kept: Relation = Filter(counted, both)
    else:
        fewer, more = exp.Least(this=ours, expressions=[theirs]), exp.Sub(this=ours, expression=theirs)
        times = fewer if isinstance(ast, exp.Intersect) else more
        kept = _repeated(counted, times)
    return project(kept, tuple((c, column(c.name)) for c in left.columns))


def _positive(value: exp.Expr) -> exp.Expr:
    return exp.GT(this=value.copy(), expression=exp.Literal.number(0))


def _counted(left: Relation, right: Relation) -> Relation:
    """Each row of either side once, with how often each side has it."""
    one, none = exp.Literal.number(1), exp.cast(exp.null(), "int", dialect="spark")
    marks = tuple(Column(_free(name, left.columns), "int") for name in ("in left", "in right"))
    targets = tuple(Column(_free(name, left.columns), "bigint") for name in ("left rows", "right rows"))
    sides = []
    for relation, values in ((left, (one, none)), (right, (none, one))):
        own = tuple((c, column(c.name)) for c in relation.columns)
        sides.append(project(relation, (*own, *zip(marks, (v.copy() for v in values), strict=True))))
    keys: Bindings = tuple((c, column(c.name)) for c in left.columns)
    counts = tuple((t, exp.Count(this=column(m.name))) for t, m in zip(targets, marks, strict=True))
    return Aggregate(UnionAll(tuple(sides)), keys, counts)


def _free(name: str, columns: tuple[Column, ...]) -> str:
    """A name that no column has, without regard to case."""
    taken = {c.name.lower() for c in columns}
    return next(free for free in (name + " " * n for n in count()) if free not in taken)


def _repeated(counted: Relation, times: exp.Expr) -> Relation:
    """Each row as often as a number over it says."""
    number = exp.cast(exp.Greatest(this=times, expressions=[exp.Literal.number(0)]), "int", dialect="spark")
    copies = exp.Anonymous(this="array_repeat", expressions=[exp.Literal.number(0), number])
    return Explode(counted, exp.Explode(this=copies), (Column(_free("copy", counted.columns), "int"),))


def _cut(relation: Relation, ast: exp.SetOperation, carried: tuple[Column, ...], context: Context) -> Relation:
    if not is_limited(ast):
        return relation
    by_name = {c.name.lower(): c.name for c in relation.columns}

    def output(e: exp.Expr) -> exp.Expr:
        if not isinstance(e, exp.Column) or e.name.lower() not in by_name:
            raise context.refuse(f"ORDER BY over {ast.key.upper()} by something that is not an output column", e)
        return column(by_name[e.name.lower()])

    return first_rows(relation, ast, order_of(ast, output), carried, context)
