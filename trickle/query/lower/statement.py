"""SELECT, WHERE, HAVING, DISTINCT, UNION and WITH: the order in which SQL applies its clauses."""

from __future__ import annotations

from sqlglot import exp

from trickle.model.schema import Column
from trickle.query.lower.context import Context, refuse_other_arguments
from trickle.query.lower.expression import Names, check_clock, check_scalar, conjuncts, resolve
from trickle.query.lower.grouping import Grouping, group_expressions, is_aggregated
from trickle.query.lower.source import from_clause
from trickle.query.operators import Distinct, Filter, InnerJoin, Relation, UnionAll, column, project, references
from trickle.query.parse import Query
from trickle.query.types import UNKNOWN, VOID, infer, widest

_SELECT = frozenset({"with_", "expressions", "distinct", "from_", "joins", "where", "group", "having", "order", "hint"})
_UNION = frozenset({"with_", "this", "expression", "distinct", "order"})


def lower(query: Query) -> Relation:
    """The operator tree of a query; NotDifferentiableError names the first construct without an operator."""
    context = Context(query.table, query.schemas)
    check_clock(query.ast, context)
    relation = _query(query.ast, context)
    bindings = tuple(
        (Column(wanted.name, have.type), column(have.name))
        for wanted, have in zip(query.columns, relation.columns, strict=True)
    )
    return project(relation, bindings)


def _query(ast: exp.Expr, context: Context) -> Relation:
    context = _with_clause(ast, context)
    if isinstance(ast, exp.Subquery):
        refuse_other_arguments(ast, frozenset({"this", "alias", "with_"}), context)
        return _query(ast.this, context)
    if isinstance(ast, exp.SetOperation):
        return _set_operation(ast, context)
    if not isinstance(ast, exp.Select):
        raise context.refuse(ast.key.upper(), ast)
    return _select(ast, context)


def _with_clause(ast: exp.Expr, context: Context) -> Context:
    clause = ast.args.get("with_")
    if clause is None:
        return context
    if clause.args.get("recursive"):
        raise context.refuse("WITH RECURSIVE", clause)
    for cte in clause.expressions:
        context = context.with_cte(cte.alias, cte.this)
    return context


def _set_operation(ast: exp.SetOperation, context: Context) -> Relation:
    if not isinstance(ast, exp.Union):
        raise context.refuse(ast.key.upper(), ast.expression, ast.key)
    refuse_other_arguments(ast, _UNION, context)
    left, right = _query(ast.left, context), _query(ast.right, context)
    if len(left.columns) != len(right.columns):
        raise context.wrong("the sides of UNION have different numbers of columns", ast)
    types = tuple(widest((a.type, b.type)) for a, b in zip(left.columns, right.columns, strict=True))
    if UNKNOWN in types or VOID in types:
        unclear = left.columns[next(i for i, t in enumerate(types) if t in (UNKNOWN, VOID))].name
        raise context.refuse(f'UNION whose column "{unclear}" has no certain common type', ast.expression, "union")
    columns = tuple(Column(c.name, t) for c, t in zip(left.columns, types, strict=True))
    union = UnionAll((_as(left, columns), _as(right, columns)))
    return Distinct(union) if ast.args.get("distinct") else union


def _as(relation: Relation, columns: tuple[Column, ...]) -> Relation:
    """The relation with other names and wider types."""
    if relation.columns == columns:
        return relation
    bindings = []
    for have, want in zip(relation.columns, columns, strict=True):
        value: exp.Expr = column(have.name)
        bindings.append((want, value if have.type == want.type else exp.cast(value, want.type, dialect="spark")))
    return project(relation, tuple(bindings))


def _select(select: exp.Select, context: Context) -> Relation:
    refuse_other_arguments(select, _SELECT, context)
    relation, names = _joined(select, context)
    if is_aggregated(select):
        result = _grouped(select, relation, names, context)
    else:
        bindings = [(s, resolve(s.unalias(), names, context)) for s in select.selects]
        result = _projected(relation, bindings, context)
    distinct = select.args.get("distinct")
    if distinct is not None and distinct.args.get("on"):
        raise context.refuse("DISTINCT ON", distinct)
    return Distinct(result) if distinct is not None else result


def _joined(select: exp.Select, context: Context) -> tuple[Relation, Names]:
    """FROM with WHERE: conditions over several inputs join, the others filter."""
    relations, on, names = from_clause(select, context, _query)
    where = select.args.get("where")
    conditions = [resolve(c, names, context) for c in conjuncts(where.this)] if where else []
    if len(relations) == 1:
        return _filtered(relations[0], conditions), names
    owner = {c.name: i for i, r in enumerate(relations) for c in r.columns}
    joining = [c for c in conditions if len({owner[name] for name in references(c)}) > 1]
    filtering = [c for c in conditions if c not in joining]
    return _filtered(InnerJoin(tuple(relations), tuple(on + joining)), filtering), names


def _filtered(relation: Relation, conditions: list[exp.Expr]) -> Relation:
    if not conditions:
        return relation
    parts = [exp.paren(c) if isinstance(c, exp.Or) else c for c in conditions]
    return Filter(relation, exp.and_(*parts, copy=True))


def _grouped(select: exp.Select, relation: Relation, names: Names, context: Context) -> Relation:
    grouping = Grouping(relation, names, context)
    for key in group_expressions(select, context):
        grouping.add_key(key)
    having = select.args.get("having")
    conditions = [grouping.over(c) for c in conjuncts(having.this)] if having else []
    bindings = [(s, grouping.over(s.unalias())) for s in select.selects]
    for expression in (*conditions, *(e for _, e in bindings)):
        check_scalar(expression, context)
    return _projected(_filtered(grouping.build(), conditions), bindings, context)


def _projected(relation: Relation, bindings: list[tuple[exp.Expr, exp.Expr]], context: Context) -> Relation:
    columns: list[tuple[Column, exp.Expr]] = []
    for written, expression in bindings:
        name = written.alias_or_name
        if any(c.name.lower() == name.lower() for c, _ in columns):
            raise context.wrong(f'two output columns are called "{name}"', written, "give one of them an alias")
        columns.append((Column(name, infer(expression, relation.columns)), expression))
    return project(relation, tuple(columns))
