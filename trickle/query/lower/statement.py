"""SELECT and WITH: the order in which SQL applies its clauses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sqlglot import exp

from trickle.model.schema import Column
from trickle.query.functions import is_generator
from trickle.query.grouped import is_aggregated
from trickle.query.lower.block import Block, filtered, where_of
from trickle.query.lower.context import Context, Lowered, refuse_other_arguments
from trickle.query.lower.expression import check_clock, check_scalar, conjuncts
from trickle.query.lower.generator import generated_columns
from trickle.query.lower.grouping import Grouping
from trickle.query.lower.grouping_sets import grouping_sets
from trickle.query.lower.order import first_rows, is_limited, order_of, outputs_only
from trickle.query.lower.set_operation import set_operation
from trickle.query.lower.source import from_clause
from trickle.query.lower.window import Windows
from trickle.query.operators import Distinct, Explode, OuterJoin, Relation, column, references
from trickle.query.parse import Query
from trickle.query.settle import settle
from trickle.query.tree import project
from trickle.query.types import infer

_SELECT = frozenset(
    {"with_", "expressions", "distinct", "from_", "joins", "laterals", "where", "group", "having", "qualify", "order",
     "limit", "offset", "hint"}
)  # fmt: skip
Translate = Callable[[exp.Expr], exp.Expr]


class _Lowering:
    """The clauses as they ask for one another."""

    def lower(self, query: exp.Expr, context: Context) -> Lowered:
        context = _with_clause(query, context)
        if isinstance(query, exp.Subquery):
            refuse_other_arguments(query, frozenset({"this", "alias", "with_"}), context)
            return self.lower(query.this, context)
        if isinstance(query, exp.SetOperation):
            return set_operation(query, context)
        if not isinstance(query, exp.Select):
            raise context.refuse(query.key.upper(), query)
        return _select(query, context)

    def open(self, select: exp.Select, context: Context) -> Block:
        block = from_clause(select, context)
        block.where(block.later)
        return block


def lower(query: Query) -> Relation:
    """The operator tree of a query; NotDifferentiableError names the first construct without an operator."""
    context = Context(query.table, query.schemas, _Lowering())
    check_clock(query.ast, context)
    relation = context.lower(settle(query), context).relation
    bindings = tuple(
        (Column(wanted.name, have.type), column(have.name))
        for wanted, have in zip(query.columns, relation.columns, strict=True)
    )
    return project(relation, bindings)


def _with_clause(ast: exp.Expr, context: Context) -> Context:
    clause = ast.args.get("with_")
    if clause is None:
        return context
    for cte in clause.expressions:
        context = context.with_cte(cte.alias, cte.this)
    return context


def _select(select: exp.Select, context: Context) -> Lowered:
    refuse_other_arguments(select, _SELECT, context)
    block = from_clause(select, context)
    conditions = block.bind(select, [*block.later, *where_of(select)])
    block.where(conditions)
    if is_aggregated(select):
        return _grouped(select, block)
    return Lowered(_finished(select, block, block.translated))


def _grouped(select: exp.Select, block: Block) -> Lowered:
    keys, sets = grouping_sets(select, block.context)
    if sets and block.carried:
        raise block.context.refuse("GROUPING SETS, ROLLUP or CUBE in a correlated subquery", select.args["group"])
    grouping = Grouping(block, sets)
    for key in keys:
        grouping.add_key(key)
    _note_members(grouping, keys)
    having = select.args.get("having")
    written = [s.unalias() for s in select.selects]
    outputs = [grouping.over(e) for e in written]
    conditions = [grouping.over(c) for c in conjuncts(having.this)] if having else []
    others = {id(e): grouping.over(e) for e in _other_expressions(select)}
    relation = grouping.build()
    empty: tuple[exp.Expr, ...] | None = None
    if grouping.is_global and block.carried:
        outer = {c.name for c in block.carried} & {name for o in outputs for name in references(o)}
        plain = not (having or select.args.get("qualify") or is_limited(select) or grouping.attached or outer)
        if block.context.repairs and plain:
            empty = grouping.empties(outputs)
        else:
            relation = _with_empty_groups(relation, grouping)
    after = grouping.after(relation)
    after.become(filtered(after.relation, [_checked(c, block.context) for c in conditions]))
    given = {id(e): o for e, o in zip(written, outputs, strict=True)} | others
    return Lowered(_finished(select, after, lambda e: given[id(e)]), empty)


def _note_members(grouping: Grouping, keys: Sequence[exp.Expr]) -> None:
    """Which sets each key column is in, by the column that holds it."""
    for written, _, reference in grouping.keys:
        if written in keys:
            inside = [i for i, one in enumerate(grouping.sets.sets) if written in one]
            grouping.sets.members[reference.name] = inside


def _other_expressions(select: exp.Select) -> list[exp.Expr]:
    """Expressions of QUALIFY, and of ORDER BY beside LIMIT, that are not outputs."""
    found = []
    qualify = select.args.get("qualify")
    if qualify is not None:
        found += list(conjuncts(qualify.this))
    if is_limited(select):
        found += [t.this for t in select.args["order"].expressions if not _is_output(t.this, select)]
    return found


def _is_output(e: exp.Expr, select: exp.Select) -> bool:
    named = {s.alias_or_name.lower() for s in select.selects}
    return isinstance(e, exp.Column) and not e.table and e.name.lower() in named


def _with_empty_groups(relation: Relation, grouping: Grouping) -> Relation:
    """A row for every member of the domain, also where it has no rows to aggregate."""
    domain = grouping.context.domain
    if domain is None:
        raise ValueError("only a correlated block carries a domain")
    marker = Column(grouping.context.fresh("group "), "boolean")
    names = {c.name: grouping.context.fresh("key ") for c in domain.columns}
    keyed = tuple((replace(c, name=names[c.name]), column(c.name)) for c in domain.columns)
    values = tuple((c, column(c.name)) for c, _ in grouping.aggregates)
    found = project(relation, (*keyed, *values, (marker, exp.true())))
    on = tuple(exp.NullSafeEQ(this=column(c.name), expression=column(names[c.name])) for c in domain.columns)
    joined = OuterJoin(domain.relation, found, on)
    missing = exp.Is(this=column(marker.name), expression=exp.null())
    empties = grouping.empties([e for _, e in values])
    filled = tuple(
        (c, exp.If(this=missing.copy(), true=empty, false=e)) for (c, e), empty in zip(values, empties, strict=True)
    )
    return project(joined, (*((c, column(c.name)) for c in domain.columns), *filled))


def _checked(expression: exp.Expr, context: Context) -> exp.Expr:
    check_scalar(expression, context)
    return expression


def _finished(select: exp.Select, block: Block, translate: Translate) -> Relation:
    """Windows, QUALIFY, the SELECT list, DISTINCT, and ORDER BY with LIMIT."""
    context, carried = block.context, block.carried
    selects = _without_generators(select, block)
    outputs = [e if ready else translate(s.unalias()) for s, e, ready in selects]
    qualify = select.args.get("qualify")
    kept = [translate(c) for c in conjuncts(qualify.this)] if qualify is not None else []
    beside = [t.this for t in select.args["order"].expressions] if is_limited(select) else []
    ordering = {id(e): translate(e) for e in beside if not _is_output(e, select)}
    windows = Windows(block.relation, carried, context)
    outputs = [_checked(windows.over(e), context) for e in outputs]
    kept = [_checked(windows.over(e), context) for e in kept]
    ordering = {key: _checked(windows.over(e), context) for key, e in ordering.items()}
    relation = filtered(windows.build(), kept)
    columns = _output_columns(select, outputs, relation, context)
    more = [(Column(context.fresh("order "), infer(e, relation.columns)), e) for e in ordering.values()]
    handed = tuple((c, column(c.name)) for c in carried)
    result = project(relation, (*columns, *more, *handed))
    distinct = select.args.get("distinct")
    if distinct is not None:
        if distinct.args.get("on") or more:
            raise context.refuse("DISTINCT ON" if distinct.args.get("on") else "ORDER BY beside DISTINCT", distinct)
        result = Distinct(result)
    if not is_limited(select):
        return result
    placed = {key: column(c.name) for key, (c, _) in zip(ordering, more, strict=True)}
    by_name = {c.name.lower(): c.name for c, _ in columns}
    order = order_of(select, lambda e: placed[id(e)] if id(e) in placed else column(by_name[e.name.lower()]))
    return outputs_only(first_rows(result, select, order, carried, context), len(columns), carried)


def _output_columns(
    select: exp.Select, outputs: list[exp.Expr], relation: Relation, context: Context
) -> tuple[tuple[Column, exp.Expr], ...]:
    columns: list[tuple[Column, exp.Expr]] = []
    nullable = {c.name: c.nullable for c in relation.columns}
    for written, expression in zip(select.selects, outputs, strict=True):
        name = written.alias_or_name
        if any(c.name.lower() == name.lower() for c, _ in columns):
            name = context.fresh(f"{name} ")
        missing = nullable[expression.name] if isinstance(expression, exp.Column) else True
        type_ = infer(expression, relation.columns)
        if type_.startswith(("map<", "variant")):
            raise context.refuse(f'column "{name}" of type {type_.partition("<")[0].upper()}', written)
        columns.append((Column(name, type_, missing), expression))
    return tuple(columns)


def _without_generators(select: exp.Select, block: Block) -> list[tuple[exp.Expr, exp.Expr, bool]]:
    """The SELECT list, with a function that yields rows made a column of the relation."""
    found: list[tuple[exp.Expr, exp.Expr, bool]] = []
    for s in select.selects:
        call = s.unalias()
        if not is_generator(call):
            found.append((s, call, False))
            continue
        generator = block.resolve_arguments(call)
        ((_, type_),) = generated_columns(generator, block.relation.columns, [s.alias_or_name], block.context)
        c = Column(block.context.fresh("yield "), type_)
        block.become(Explode(block.relation, generator, (c,)))
        found.append((s, column(c.name), True))
    return found
