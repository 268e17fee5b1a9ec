"""PIVOT: one aggregate with a FILTER for each value, grouped by the columns PIVOT does not mention.

    SELECT * FROM t PIVOT (sum(x) FOR k IN (1, 2 AS two)) AS p
    SELECT * FROM (SELECT t.v, sum(t.x) FILTER (WHERE t.k <=> 1) AS `1`, … AS two FROM t GROUP BY t.v) AS p

Spark gives NULL for a value a group does not have, also for a count, as long as all aggregates are numbers or booleans;
otherwise it counts what the FILTER leaves, which is nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from trickle.model.schema import Column
from trickle.query.outputs import SPELLED
from trickle.query.rewrite.sight import Sight, members
from trickle.query.types import FLOATS, INTEGERS, infer

_NULL_WHEN_EMPTY = (exp.Sum, exp.Min, exp.Max, exp.Avg)
_LISTS = (exp.ArrayAgg, exp.ArrayUniqueAgg, exp.GroupConcat)
_NUMBERS = frozenset({*INTEGERS, *FLOATS, "boolean"})


def expand_pivots(query: exp.Query, sight: Sight) -> None:
    """Replace each pivoted relation of a FROM clause by a subquery with its alias."""
    if not isinstance(query, exp.Select):
        return
    for join in query.args.get("joins") or []:
        if join.args.get("pivots"):
            sight.fail("PIVOT over a join", join.args["pivots"][0], "put the join into a subquery: from (select ...)")
    for node in members(query):
        for pivot in node.args.get("pivots") or []:
            _check_star(query, node, pivot, sight)
            if not pivot.args.get("unpivot"):
                node = _pivoted(node, pivot, sight)


def _check_star(select: exp.Select, node: exp.Expr, pivot: exp.Expr, sight: Sight) -> None:
    """Without an alias `t.*` would mean the columns that t still has."""
    for item in select.selects:
        starred = isinstance(item, exp.Column) and isinstance(item.this, exp.Star)
        if starred and not pivot.alias and item.text("table") == node.alias_or_name:
            sight.fail(f'"{item.sql("spark")}" after PIVOT', item, "give the PIVOT an alias of its own")


@dataclass(frozen=True, slots=True)
class _Slot:
    """One value of the IN list: its output name, and the rows it stands for."""

    name: str
    condition: exp.Expr


def _pivoted(node: exp.Expr, pivot: exp.Expr, sight: Sight) -> exp.Expr:
    source, columns = bare_source(node, sight)
    alias = source.alias_or_name
    fields: list[exp.In] = pivot.args["fields"]
    if len(fields) != 1:
        sight.fail("PIVOT with more than one FOR", pivot)
    aggregates: list[exp.Expr] = pivot.expressions
    used = {c.name for part in [fields[0].this, *aggregates] for c in part.find_all(exp.Column)}
    groups = [exp.column(c.name, table=alias) for c in columns if c.name not in used]
    guarded = _guarded(aggregates, columns, sight)
    items = [
        _output(slot, aggregate, len(aggregates) > 1, guarded, sight)
        for slot in _slots(fields[0], sight)
        for aggregate in aggregates
    ]
    select = exp.select(*(exp.alias_(g.copy(), g.name) for g in groups), *items).from_(source)
    if groups:
        select.set("group", exp.Group(expressions=[g.copy() for g in groups]))
    return node.replace(exp.Subquery(this=select, alias=pivot_alias(node, pivot)))


def bare_source(node: exp.Expr, sight: Sight) -> tuple[exp.Expr, tuple[Column, ...]]:
    """The relation below a PIVOT under its own name, and its columns."""
    source = node.copy()
    source.set("pivots", None)
    source.set("joins", None)
    if not source.alias_or_name:
        source.set("alias", exp.TableAlias(this=exp.to_identifier("_source")))
    columns = sight.relation(source)
    if not columns:
        sight.fail(f"the columns of {source.sql('spark')} are not known", node, "pivot a subquery")
    return source, columns


def pivot_alias(node: exp.Expr, pivot: exp.Expr) -> exp.TableAlias:
    """The alias of the PIVOT; without one columns are still reached by the relation's own name."""
    alias = pivot.args.get("alias")
    if isinstance(alias, exp.TableAlias):
        return alias.copy()
    return exp.TableAlias(this=exp.to_identifier(node.alias_or_name or "_pivot"))


def _guarded(aggregates: Sequence[exp.Expr], columns: Sequence[Column], sight: Sight) -> bool:
    """Whether a value without rows gives NULL whatever the aggregate."""
    bare = [a.unalias() for a in aggregates]
    if all(isinstance(a, _NULL_WHEN_EMPTY) for a in bare) or any(isinstance(a, _LISTS) for a in bare):
        return False
    types = [infer(a, columns) for a in bare]
    if all(t in _NUMBERS or t.startswith("decimal") for t in types):
        return True
    if "" in types:
        sight.fail("the type of an aggregate of PIVOT is not known", bare[types.index("")], "cast its argument")
    return False


def _slots(field: exp.In, sight: Sight) -> list[_Slot]:
    keys = field.this.expressions if isinstance(field.this, exp.Tuple) else [field.this]
    slots = []
    for item in field.expressions:
        value = item.this if isinstance(item, exp.PivotAlias) else item
        values = value.expressions if isinstance(value, exp.Tuple) else [value]
        if len(values) != len(keys):
            sight.fail(f"PIVOT over {len(keys)} columns by {len(values)} values", value)
        matches = [exp.NullSafeEQ(this=k.copy(), expression=v.copy()) for k, v in zip(keys, values, strict=True)]
        named = _written(item) if isinstance(item, exp.PivotAlias) else _spelled(value, sight)
        slots.append(_Slot(named, exp.and_(*matches)))
    return slots


def _written(alias: exp.Expr) -> str:
    """An alias as its author spelled it."""
    identifier = alias.args["alias"]
    return str(identifier.meta.get(SPELLED) or identifier.name)


def _spelled(value: exp.Expr, sight: Sight) -> str:
    """What Spark calls the column of a value: the value as a string."""
    if isinstance(value, exp.Tuple):
        return "{" + ", ".join(_spelled(v, sight) for v in value.expressions) + "}"
    if isinstance(value, exp.Neg):
        return "-" + _spelled(value.this, sight)
    if isinstance(value, exp.Boolean | exp.Null):
        return value.sql("spark").lower()
    literal = value.this if isinstance(value, exp.Cast) and value.to.is_type(exp.DType.DATE) else value
    if not isinstance(literal, exp.Literal) or (not literal.is_string and "e" in literal.name.lower()):
        sight.fail(f"{value.sql('spark')} in the IN list of PIVOT has no name", value, "give it an alias")
    return literal.name


def _output(slot: _Slot, aggregate: exp.Expr, several: bool, guarded: bool, sight: Sight) -> exp.Expr:
    value = _filtered(aggregate.unalias().copy(), slot.condition)
    if guarded and not isinstance(aggregate.unalias(), _NULL_WHEN_EMPTY):
        rows = _filtered(exp.Count(this=exp.Star(), big_int=True), slot.condition)
        some = exp.GT(this=rows, expression=exp.Literal.number(0))
        value = exp.Case(ifs=[exp.If(this=some, true=value)])
    name = f"{slot.name}_{_called(aggregate, sight)}" if several else slot.name
    identifier = exp.to_identifier(name.lower(), quoted=True)
    identifier.meta[SPELLED] = name
    return exp.Alias(this=value, alias=identifier)


def _filtered(expression: exp.Expr, condition: exp.Expr) -> exp.Expr:
    """The expression with every aggregate in it over the rows of one value."""

    def narrowed(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.AggFunc):
            return node
        return exp.Filter(this=node, expression=exp.Where(this=condition.copy()))

    # an aggregate has no aggregate inside, so its own subtree is not entered
    if isinstance(expression, exp.AggFunc):
        return narrowed(expression)
    for node in list(expression.find_all(exp.AggFunc)):
        node.replace(narrowed(node.copy()))
    return expression


def _called(aggregate: exp.Expr, sight: Sight) -> str:
    """What Spark appends to the name when there are several aggregates."""
    if isinstance(aggregate, exp.Alias):
        return _written(aggregate)
    if isinstance(aggregate, exp.Count) and isinstance(aggregate.this, exp.Star):
        return "count(1)"
    if not isinstance(aggregate, exp.AggFunc) or not isinstance(aggregate.this, exp.Column):
        sight.fail(f"{aggregate.sql('spark')} in PIVOT has no name", aggregate, "give it an alias")
    return f"{aggregate.sql_name().lower()}({aggregate.this.name})"
