"""GROUP BY and aggregate functions: a projection of keys and arguments, an aggregate, and what is computed from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlglot import exp

from trickle.model.schema import Column
from trickle.query.aggregates import WHOLE
from trickle.query.functions import empty_value, is_aggregate, is_grouping, open_to_order, spark_name
from trickle.query.lower.block import Block
from trickle.query.lower.context import Context
from trickle.query.lower.correlation import free_columns, key_of
from trickle.query.lower.expression import called, check_scalar, has_subquery, with_columns
from trickle.query.lower.grouping_sets import GroupingSets
from trickle.query.operators import Aggregate, Bindings, Distinct, Relation, column, references
from trickle.query.tree import project
from trickle.query.types import infer

_WRAPPERS = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)
_PLAIN = (exp.Sum, exp.Min, exp.Max)


def _call(node: exp.Expr) -> exp.Expr:
    """The aggregate function inside FILTER, WITHIN GROUP and IGNORE NULLS."""
    while isinstance(node, _WRAPPERS):
        node = node.this
    return node


@dataclass
class Grouping:
    """Collects keys and aggregates of one SELECT while its clauses are lowered."""

    block: Block
    sets: GroupingSets
    keys: list[tuple[exp.Expr, Column, exp.Expr]] = field(default_factory=list)
    arguments: list[tuple[Column, exp.Expr]] = field(default_factory=list)
    aggregates: list[tuple[Column, exp.Expr]] = field(default_factory=list)
    attached: list[tuple[str, exp.Expr]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.relation = self.block.relation
        for c in self.block.carried:
            self.arguments.append((c, column(c.name)))
            self.keys.append((column(c.name), c, column(c.name)))

    @property
    def context(self) -> Context:
        return self.block.context

    # -- keys and arguments ---------------------------------------------------------------------------------

    def _argument(self, expression: exp.Expr, stem: str) -> exp.Expr:
        """A column of the projection below that holds an expression, shared by equal ones."""
        for c, known in self.arguments:
            if known == expression:
                return column(c.name)
        name = expression.name if isinstance(expression, exp.Column) else f"{stem}_{len(self.arguments) + 1}"
        self.arguments.append((Column(name, infer(expression, self.relation.columns)), expression))
        return column(name)

    def _value(self, written: exp.Expr) -> exp.Expr:
        """An expression of the rows below; subqueries in it become columns of them."""
        value = self.block.value(written)
        self.relation = self.block.relation
        return value

    def add_key(self, written: exp.Expr) -> None:
        expression = self._value(written)
        reference = self._argument(expression, "group")
        c = next(c for c, _ in self.arguments if c.name == reference.name)
        if any(known == c for _, known, _ in self.keys) or all(c.name != known.name for _, known, _ in self.keys):
            self.keys.append((written, c, reference))

    # -- aggregates -----------------------------------------------------------------------------------------

    def _aggregate(self, function: exp.Expr, type_: str) -> exp.Expr:
        for c, known in self.aggregates:
            if known == function:
                return column(c.name)
        c = Column(f"{spark_name(_call(function))}_{len(self.aggregates) + 1}", type_)
        self.aggregates.append((c, function))
        return column(c.name)

    def aggregate_function(self, node: exp.Expr) -> exp.Expr:
        """What stands for an aggregate call above the aggregate operator."""
        self._check(node)
        if isinstance(node, exp.Count):
            return self._count(node)
        if isinstance(node, _PLAIN) and not isinstance(node.this, exp.Distinct):
            argument = self._value(node.this)
            reference = self._argument(argument, "argument")
            type_ = infer(type(node)(this=argument), self.relation.columns)
            return self._aggregate(type(node)(this=reference), type_)
        return self._other(node)

    def _count(self, node: exp.Count) -> exp.Expr:
        if isinstance(node.this, exp.Distinct):
            return self._other(node)
        if node.args.get("expressions"):
            parts = [self._value(e) for e in (node.this, *node.expressions)]
            present = exp.and_(*(exp.Is(this=p, expression=exp.null()).not_() for p in parts))
            whole = exp.Case(ifs=[exp.If(this=present, true=exp.Literal.number(1))])
            return self._aggregate(exp.Count(this=self._argument(whole, "argument")), "bigint")
        if isinstance(node.this, exp.Star | exp.Literal):
            return self._aggregate(exp.Count(this=exp.Star()), "bigint")
        return self._aggregate(exp.Count(this=self._argument(self._value(node.this), "argument")), "bigint")

    def _other(self, node: exp.Expr) -> exp.Expr:
        """Any other aggregate, over the columns it names."""

        def kept(named: exp.Column) -> exp.Expr:
            return self._argument(self.block.resolve(named), "argument")

        return self._aggregate(with_columns(node, kept), infer(node, self._written_columns(node)))

    def _written_columns(self, node: exp.Expr) -> list[Column]:
        """The columns a call names, as it names them."""
        types = {c.name: c.type for c in self.relation.columns}
        found = []
        for named in node.find_all(exp.Column):
            own = self.block.names.get(key_of(named))
            if own is not None:
                found.append(Column(f"{named.table}.{named.name}" if named.table else named.name, types[own]))
        return found

    def _check(self, node: exp.Expr) -> None:
        call = _call(node)
        for part in call.iter_expressions():
            for inner in part.walk(prune=lambda n: isinstance(n, exp.Query)):
                if is_aggregate(inner):
                    raise self.context.wrong("an aggregate function inside another", inner)
        if open_to_order(call) and not _ordered(node, call):
            name = called(call, self.context).upper()
            raise self.context.refuse(f"aggregate function {name}, whose value depends on the order of rows", node)
        for part in _scalars(node):
            if not (has_subquery(part) and isinstance(node, (exp.Count, *_PLAIN))):
                check_scalar(part, self.context)

    # -- expressions over the groups ------------------------------------------------------------------------

    def over(self, expression: exp.Expr) -> exp.Expr:  # noqa: C901 one case for each kind of expression
        """An expression of SELECT, HAVING or ORDER BY over the columns of the aggregate."""
        for written, _, reference in self.keys:
            if expression == written:
                return self.sets.key(reference, [r for _, _, r in self.keys])
        if isinstance(expression, exp.Window):
            return self._window(expression)
        if is_grouping(expression):
            return self.sets.grouping(expression, [w for w, _, _ in self.keys[len(self.block.carried) :]], self.context)
        if expression.meta.get(WHOLE):
            return self._other(expression)
        if is_aggregate(_call(expression)):
            return self.aggregate_function(expression)
        if isinstance(expression, exp.Column) and self._is_outer(expression):
            return column(self.block.names[key_of(expression)])
        if isinstance(expression, exp.Column) and expression.table:
            message = f"column {expression.sql('spark')} is neither grouped nor aggregated"
            raise self.context.wrong(message, expression, "add it to GROUP BY")
        if isinstance(expression, exp.Query | exp.Exists):
            name = self.context.fresh("value")
            self.attached.append((name, expression))
            return column(name)
        rewritten = expression.copy()
        self._replace_parts(expression, rewritten)
        return rewritten

    def _is_outer(self, named: exp.Column) -> bool:
        """Whether a column is of a query around, so that every group has one value of it."""
        return self.block.names.get(key_of(named)) in [c.name for c in self.block.carried]

    def _replace_parts(self, original: exp.Expr, copied: exp.Expr) -> None:
        for before, after in zip(list(original.iter_expressions()), list(copied.iter_expressions()), strict=True):
            after.replace(self.over(before))

    def _window(self, window: exp.Window) -> exp.Expr:
        """A window function over groups: what it is called with is grouped, it itself is not."""
        rewritten = window.copy()
        for key, value in window.args.items():
            if key == "this":
                self._replace_parts(_call(window.this), _call(rewritten.this))
            elif isinstance(value, exp.Expr):
                self._replace_parts(value, rewritten.args[key])
            elif isinstance(value, list):
                rewritten.set(key, [self.over(v) if isinstance(v, exp.Expr) else v for v in value])
        return rewritten

    # -- the operator ---------------------------------------------------------------------------------------

    @property
    def is_global(self) -> bool:
        """Whether there is no GROUP BY, so that no rows make a group too."""
        return len(self.keys) == len(self.block.carried) and not self.sets

    def build(self) -> Relation:
        """The aggregate over a projection to what it needs."""
        below = self.relation
        if self.arguments:
            below = project(below, tuple(self.arguments))
        keys = tuple(dict.fromkeys((c, reference.name) for _, c, reference in self.keys))
        bound: Bindings = tuple((c, column(name)) for c, name in keys)
        if self.sets:
            below, bound = self.sets.expanded(below, bound, self.context)
        return _counted_once(below, bound, tuple(self.aggregates))

    def after(self, relation: Relation) -> Block:
        """The groups as a block of their own, with the subqueries of SELECT and HAVING beside them."""
        names = {key_of(w): r.name for w, _, r in self.keys if isinstance(w, exp.Column) and w.table}
        if self.sets:
            names = {}
        for c in self.block.carried:
            names |= {key: name for key, name in self.block.names.items() if name == c.name}
        block = Block(self.context, [relation], names=names, carried=self.block.carried)
        for name, node in self.attached:
            for key, free in free_columns(node).items():
                if key not in names:
                    construct = f"subquery over {free.sql('spark')}, which is not a plain group key"
                    raise self.context.refuse(construct, free)
            block.attach(node, name)
        return block

    def empties(self, expressions: list[exp.Expr]) -> tuple[exp.Expr, ...]:
        """What expressions over the aggregates give for no rows."""
        values: dict[str, exp.Expr] = {}
        for c, function in self.aggregates:
            empty = empty_value(_call(function))
            if empty is None or isinstance(empty, exp.Array):
                construct = f"aggregate function {spark_name(_call(function)).upper()} in a correlated subquery"
                raise self.context.refuse(construct, function)
            typed = c.type if c.type and not isinstance(empty, exp.Null) else ""
            values[c.name] = exp.cast(empty, typed, dialect="spark") if typed else empty
        found: list[exp.Expr] = []
        for expression in expressions:
            if isinstance(expression, exp.Column) and isinstance(values.get(expression.name), exp.Null):
                found.append(exp.null())
                continue
            found.append(with_columns(expression, lambda n: values.get(n.name, n).copy()))
        return tuple(found)


def _scalars(node: exp.Expr) -> Iterator[exp.Expr]:
    """The expressions of the row inside an aggregate call."""
    if isinstance(node, (*_WRAPPERS, exp.Order, exp.Ordered, exp.Distinct, exp.Where)) or is_aggregate(node):
        for child in node.iter_expressions():
            yield from _scalars(child)
    elif not isinstance(node, exp.Star):
        yield node


def _counted_once(below: Relation, keys: Bindings, aggregates: Bindings) -> Relation:
    """Aggregates that are all DISTINCT over one argument count the distinct rows; any others stay as they are."""
    arguments = {f.this.expressions[0] for _, f in aggregates if _distinct_of_one(f)}
    if len(arguments) != 1 or not all(_distinct_of_one(f) for _, f in aggregates):
        return Aggregate(below, keys, aggregates)
    (argument,) = arguments
    needed = {name for _, e in keys for name in references(e)} | {argument.name}
    once = Distinct(project(below, tuple((c, column(c.name)) for c in below.columns if c.name in needed)))
    plain = tuple((c, type(f)(this=argument.copy())) for c, f in aggregates)
    return Aggregate(once, keys, plain)


def _distinct_of_one(function: exp.Expr) -> bool:
    plain = isinstance(function, exp.Count | exp.Sum | exp.Min | exp.Max)
    inner = function.this
    return (
        plain
        and isinstance(inner, exp.Distinct)
        and len(inner.expressions) == 1
        and isinstance(inner.expressions[0], exp.Column)
    )


def _ordered(node: exp.Expr, call: exp.Expr) -> bool:
    """Whether the settled form of an aggregate has an order that leaves nothing open."""
    if isinstance(call, exp.ArrayAgg | exp.ArrayUniqueAgg):
        outer = node.parent
        return isinstance(outer, exp.Func) and spark_name(outer) in {"sort_array", "array_sort"}
    if isinstance(call, exp.GroupConcat):
        return isinstance(call.this, exp.Order)
    if isinstance(call, exp.Mode):
        return bool(call.args.get("deterministic"))
    tied = isinstance(call, exp.Anonymous) and call.name.lower() in {"max_by", "min_by"}
    return tied and isinstance(call.expressions[1], exp.Case)
