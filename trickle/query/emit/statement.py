"""One statement: each operator becomes a named subquery that yields its columns and a weight column.

Equal subtrees are written once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp

from trickle.model.names import RelationName, ScanName, StageName, StateName
from trickle.model.schema import Column
from trickle.query.draw import label
from trickle.query.emit.aggregate import aggregate
from trickle.query.emit.joins import half_join, inner_join, outer_join, restriction
from trickle.query.emit.names import taken, view_name
from trickle.query.emit.parts import cast, consolidated, identifier, named, one, plain, table
from trickle.query.emit.windows import top_k, window
from trickle.query.operators import (
    Aggregate,
    AntiJoin,
    Consolidate,
    Distinct,
    Empty,
    Explode,
    Filter,
    InnerJoin,
    Negate,
    OuterJoin,
    Project,
    Recursive,
    Relation,
    Restrict,
    Scan,
    SemiJoin,
    TopK,
    UnionAll,
    Values,
    Window,
    column,
)
from trickle.query.sharing import Numbers


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
            raw = _stem(source)
            stem = f"{re.sub(r'[^a-z0-9_]', '_', raw.lower())}_{relation.version.value}"
        else:
            stem = re.sub(r"(?<!^)([A-Z])", r"_\1", type(relation).__name__).lower()
        used = set(self.named.values())
        name, turn = stem, 1
        while name in used:
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

    def query(self, relation: Relation) -> exp.Query:  # noqa: C901 one case for each operator
        match relation:
            case Scan():
                return self._scan(relation)
            case Values(columns, rows):
                return self._values(columns, rows)
            case Filter(source, condition):
                return self._over(source, plain(relation.columns)).where(condition.copy())
            case Project(source, bindings):
                return self._over(source, [named(e, c.name) for c, e in bindings])
            case UnionAll(inputs):
                return _union([self._over(i, plain(i.columns)) for i in inputs])
            case Explode():
                return self._explode(relation)
            case InnerJoin():
                return inner_join(relation, self.name_of, self.weight)
            case OuterJoin(left, right, _):
                return outer_join(relation, self.name_of(left), self.name_of(right), self.weight)
            case SemiJoin(left, right, _) | AntiJoin(left, right, _):
                return half_join(relation, self.name_of(left), self.name_of(right), self.weight)
            case Restrict(left, right, _):
                return restriction(relation, self.name_of(left), self.name_of(right), self.weight)
            case Aggregate(source, _, _):
                return aggregate(relation, self.name_of(source), self.weight)
            case Window(source, _, _):
                return window(relation, self.name_of(source), self.weight)
            case TopK():
                return top_k(relation, self.name_of(relation.input), self.weight)
            case Recursive(_, _, loop, _):
                raise ValueError(f"the recursion {loop} is computed before the statement that reads it")
            case Distinct(source):
                once = exp.select(*plain(source.columns), one(self.weight)).distinct()
                return once.from_(table(self.name_of(source)))
            case Negate(source):
                flipped = named(exp.Neg(this=column(self.weight)), self.weight)
                return exp.select(*plain(source.columns), flipped).from_(table(self.name_of(source)))
            case Consolidate(source):
                return consolidated(source.columns, self.name_of(source), self.weight)
            case Empty(columns):
                return self._empty(columns)

    def _over(self, source: Relation, selected: Sequence[exp.Expr]) -> exp.Select:
        return exp.select(*selected, column(self.weight)).from_(table(self.name_of(source)))

    def _scan(self, node: Scan) -> exp.Select:
        renamed = [named(column(s), c.name) for s, c in zip(node.stored, node.columns, strict=True)]
        return exp.select(*renamed, column(self.weight)).from_(table(view_name(node.source, node.version, node.within)))

    def _values(self, columns: tuple[Column, ...], rows: tuple[tuple[exp.Expr, ...], ...]) -> exp.Query:
        selects = []
        for row in rows:
            written = [named(_typed(e, c.type), c.name) for c, e in zip(columns, row, strict=True)]
            selects.append(exp.select(*written, one(self.weight)))
        return _union(selects) if selects else self._empty(columns)

    def _explode(self, node: Explode) -> exp.Select:
        produced = [identifier(c.name) for c in node.produced]
        alias = exp.TableAlias(this=identifier("generated"), columns=produced)
        lateral = exp.Lateral(this=node.generator.copy(), view=True, outer=node.outer, alias=alias)
        query = self._over(node.input, plain(node.columns))
        query.append("laterals", lateral)
        return query

    def _empty(self, columns: tuple[Column, ...]) -> exp.Select:
        typed = [named(_typed(exp.null(), c.type), c.name) for c in columns]
        return exp.select(*typed, one(self.weight)).where(exp.false())


def _stem(source: ScanName) -> str:
    if isinstance(source, RelationName):
        return source.table
    if isinstance(source, StateName):
        return source.node
    return f"stage_{source.number}" if isinstance(source, StageName) else source.name


def _typed(expression: exp.Expr, type_: str) -> exp.Expr:
    return cast(expression, type_) if type_ else expression


def _union(selects: Sequence[exp.Select]) -> exp.Query:
    union: exp.Query = selects[0]
    for other in selects[1:]:
        union = exp.Union(this=union, expression=other, distinct=False)
    return union


def _comment(text: str) -> str:
    flat = " ".join(text.replace("*/", "* /").replace("/*", "/ *").split())
    return flat if len(flat) <= 160 else flat[:157] + "..."


def emit(relation: Relation, weight: str) -> str:
    """A Spark SQL statement that yields the relation's columns and their weight."""
    if weight.lower() in {name.lower() for name in taken(relation)}:
        raise ValueError(f"the weight column cannot be called {weight}: a column has that name")
    writer = _Writer(weight)
    writer.name_of(relation)
    *inner, (_, body, _) = writer.parts
    for name, query, comment in inner:
        cte = exp.CTE(this=query, alias=exp.TableAlias(this=identifier(name)))
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
