"""Operator trees as Spark SQL: the only place that writes SQL for them.

Each operator becomes one named subquery that yields its columns and a weight column; equal subtrees are written once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sqlglot import exp

from trickle.model.names import Name, RelationName
from trickle.model.schema import Column, weight_column
from trickle.query.draw import label
from trickle.query.emit_aggregate import aggregate
from trickle.query.operators import (
    Aggregate,
    Consolidate,
    Distinct,
    Empty,
    Filter,
    InnerJoin,
    Negate,
    Project,
    Relation,
    Scan,
    SemiJoin,
    UnionAll,
    Version,
    column,
    references,
    scans,
    walk,
)
from trickle.query.sharing import Numbers
from trickle.query.types import FLOATS


def _part(text: str) -> str:
    """A part of a view's name, with its separators escaped so that different names stay different."""
    return re.sub(r"[%.#@`]", lambda match: f"%{ord(match.group()):02X}", text)


def view_name(name: Name, version: Version | None = None) -> str:
    """What a stored relation is called in SQL: one identifier, such as `shop.orders@new`."""
    relation = name if isinstance(name, RelationName) else name.table
    text = f"{_part(relation.schema)}.{_part(relation.table)}"
    if not isinstance(name, RelationName):
        text += f"#{_part(name.node)}"
    return f"{text}@{version.value}" if version else text


def _taken(relation: Relation) -> set[str]:
    """Every column name in sight of some subquery of a tree."""
    found: set[str] = set()
    for node in walk(relation):
        found.update(c.name for c in node.columns)
        found.update((*node.stored, *node.unread) if isinstance(node, Scan) else ())
    return found


def weight_name(relations: Iterable[Relation]) -> str:
    """A name for the weight column that no column of these trees, or of the views they read, has."""
    return weight_column(name for relation in relations for name in _taken(relation))


def _name(text: str) -> exp.Identifier:
    return exp.to_identifier(text, quoted=True)


def _table(text: str, alias: str | None = None) -> exp.Table:
    return exp.Table(this=_name(text), alias=exp.TableAlias(this=_name(alias)) if alias else None)


def _plain(columns: Iterable[Column]) -> list[exp.Expr]:
    return [column(c.name) for c in columns]


def _as(expression: exp.Expr, name: str) -> exp.Alias:
    return exp.Alias(this=expression.copy(), alias=_name(name))


def _all_of(conditions: Iterable[exp.Expr]) -> exp.Expr | None:
    conjuncts = [exp.paren(c.copy()) if isinstance(c, exp.Or) else c.copy() for c in conditions]
    return exp.and_(*conjuncts) if conjuncts else None


class _Writer:
    """Writes one statement; keeps the subqueries it has named so far."""

    def __init__(self, weight: str) -> None:
        self.weight = weight
        self.named: dict[int, str] = {}
        self.numbers = Numbers()
        self.parts: list[tuple[str, exp.Query, str]] = []

    # -- naming ---------------------------------------------------------------------------------------------

    def _fresh(self, relation: Relation) -> str:
        if isinstance(relation, Scan):
            source = relation.source
            raw = source.table if isinstance(source, RelationName) else source.node
            stem = f"{re.sub(r'[^a-z0-9_]', '_', raw.lower())}_{relation.version.value}"
        else:
            stem = re.sub(r"(?<!^)([A-Z])", r"_\1", type(relation).__name__).lower()
        taken = set(self.named.values())
        name, turn = stem, 1
        while name in taken:
            turn += 1
            name = f"{stem}_{turn}"
        return name

    def name_of(self, relation: Relation) -> str:
        """The subquery of a relation, written on first use."""
        number = self.numbers.of(relation)
        if number not in self.named:
            query = self.query(relation)
            name = self._fresh(relation)
            self.named[number] = name
            self.parts.append((name, query, label(relation)))
        return self.named[number]

    # -- operators ------------------------------------------------------------------------------------------

    def query(self, relation: Relation) -> exp.Query:  # noqa: C901 one line for each operator
        match relation:
            case Scan():
                return self._scan(relation)
            case Filter(source, condition):
                return self._over(source, _plain(relation.columns)).where(condition.copy())
            case Project(source, bindings):
                return self._over(source, [_as(e, c.name) for c, e in bindings])
            case UnionAll(inputs):
                return self._union(inputs)
            case InnerJoin():
                return self._join(relation)
            case Aggregate():
                return aggregate(relation, _table(self.name_of(relation.input)), self.weight)
            case Distinct(source):
                return exp.select(*_plain(source.columns), self._one()).distinct().from_(_table(self.name_of(source)))
            case Negate(source):
                flipped = _as(exp.Neg(this=column(self.weight)), self.weight)
                return exp.select(*_plain(source.columns), flipped).from_(_table(self.name_of(source)))
            case Consolidate(source):
                return self._consolidate(source)
            case SemiJoin():
                return self._semi_join(relation)
            case Empty(columns):
                return self._empty(columns)

    def _one(self) -> exp.Expr:
        return _as(exp.cast(exp.Literal.number(1), "bigint"), self.weight)

    def _over(self, source: Relation, selected: Sequence[exp.Expr]) -> exp.Select:
        return exp.select(*selected, column(self.weight)).from_(_table(self.name_of(source)))

    def _scan(self, node: Scan) -> exp.Select:
        renamed = [_as(column(s), c.name) for s, c in zip(node.stored, node.columns, strict=True)]
        return exp.select(*renamed, column(self.weight)).from_(_table(view_name(node.source, node.version)))

    def _union(self, inputs: tuple[Relation, ...]) -> exp.Query:
        selects = [self._over(i, _plain(i.columns)) for i in inputs]
        union: exp.Query = selects[0]
        for other in selects[1:]:
            union = exp.Union(this=union, expression=other, distinct=False)
        return union

    def _consolidate(self, source: Relation) -> exp.Select:
        """A grouped sum; floats are grouped by their text, or GROUP BY would turn -0.0 into 0.0."""
        keys: list[exp.Expr] = []
        selected: list[exp.Expr] = []
        for c in source.columns:
            value = column(c.name)
            floating = c.type in FLOATS
            keys.append(exp.cast(value, "string", dialect="spark") if floating else value)
            selected.append(_as(exp.Max(this=value.copy()), c.name) if floating else value.copy())
        total = _as(exp.Sum(this=column(self.weight)), self.weight)
        grouped = exp.select(*selected, total).from_(_table(self.name_of(source))).group_by(*keys)
        kept = exp.NEQ(this=column(self.weight), expression=exp.Literal.number(0))
        outer = exp.select(*_plain(source.columns), column(self.weight))
        return outer.from_(grouped.subquery(_name("summed"))).where(kept)

    def _semi_join(self, node: SemiJoin) -> exp.Select:
        left, right = _table(self.name_of(node.left), "l"), _table(self.name_of(node.right), "r")
        matched = [
            exp.NullSafeEQ(this=exp.Column(this=_name(a), table=_name("l")),
                           expression=exp.Column(this=_name(b), table=_name("r")))
            for a, b in node.keys
        ]  # fmt: skip
        selected = [exp.Column(this=_name(c.name), table=_name("l")) for c in node.columns]
        weight = exp.Column(this=_name(self.weight), table=_name("l"))
        join = exp.Join(this=right, side="LEFT", kind="SEMI", on=exp.and_(*matched))
        return exp.select(*selected, weight).from_(left).join(join)

    def _empty(self, columns: tuple[Column, ...]) -> exp.Select:
        typed = [_as(exp.cast(exp.null(), c.type, dialect="spark") if c.type else exp.null(), c.name) for c in columns]
        return exp.select(*typed, self._one()).where(exp.false())

    def _join(self, node: InnerJoin) -> exp.Select:
        """Inputs joined from the changed one outward, each conjunct as soon as its columns are there."""
        first, *rest = join_order(node)
        query = exp.select(*_plain(node.columns)).from_(_table(self.name_of(first)))
        weights = [self._weight_of(first)]
        available, pending = {c.name for c in first.columns}, list(node.on)
        for source in rest:
            available.update(c.name for c in source.columns)
            ready = [c for c in pending if references(c) <= available]
            pending = [c for c in pending if c not in ready]
            on = _all_of(ready)
            kind = {"kind": "INNER", "on": on} if on is not None else {"kind": "CROSS"}
            query = query.join(exp.Join(this=_table(self.name_of(source)), **kind))
            weights.append(self._weight_of(source))
        product = weights[0]
        for weight in weights[1:]:
            product = exp.Mul(this=product, expression=weight)
        return query.select(_as(product, self.weight))

    def _weight_of(self, source: Relation) -> exp.Expr:
        return exp.Column(this=_name(self.weight), table=_name(self.name_of(source)))


def join_order(node: InnerJoin) -> list[Relation]:
    """The inputs, the one that reads changes first, then whatever is connected to those before it."""
    waiting = list(node.inputs)
    changed = [i for i in waiting if any(version is Version.DELTA for _, version in scans(i))]
    order = [changed[0] if changed else waiting[0]]
    waiting.remove(order[0])
    while waiting:
        have = {c.name for i in order for c in i.columns}

        def connected(source: Relation, have: set[str] = have) -> bool:
            own = {c.name for c in source.columns}
            return any((r := references(c)) & own and r & have and r <= own | have for c in node.on)

        chosen = next((i for i in waiting if connected(i)), waiting[0])
        waiting.remove(chosen)
        order.append(chosen)
    return order


def _comment(text: str) -> str:
    flat = " ".join(text.replace("*/", "* /").replace("/*", "/ *").split())
    return flat if len(flat) <= 160 else flat[:157] + "..."


def emit(relation: Relation, weight: str) -> str:
    """A Spark SQL statement that yields the relation's columns and their weight."""
    if weight.lower() in {name.lower() for name in _taken(relation)}:
        raise ValueError(f"the weight column cannot be called {weight}: a column has that name")
    writer = _Writer(weight)
    writer.name_of(relation)
    *inner, (_, body, _) = writer.parts
    for name, query, comment in inner:
        cte = exp.CTE(this=query, alias=exp.TableAlias(this=_name(name)))
        cte.add_comments([f" {_comment(comment)} "])
        body = _with(body, cte)
    return body.sql("spark", pretty=True)


def _with(body: exp.Query, cte: exp.CTE) -> exp.Query:
    clause = body.args.get("with_")
    if clause is None:
        clause = exp.With(expressions=[])
        body.set("with_", clause)
    clause.append("expressions", cte)
    return body
