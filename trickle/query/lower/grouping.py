"""GROUP BY and aggregate functions: a projection of keys and arguments, an aggregate, and what is computed from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from trickle.model.schema import Column
from trickle.query.average import exact_mean, summand_type
from trickle.query.lower.context import Context, refuse_other_arguments
from trickle.query.lower.expression import Names, check_scalar, resolve
from trickle.query.operators import Aggregate, Relation, column, project
from trickle.query.types import infer

_SUPPORTED = (exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max)


def is_aggregated(select: exp.Select) -> bool:
    """Whether a SELECT groups its rows."""
    if select.args.get("group") or select.args.get("having"):
        return True
    return any(
        isinstance(node, exp.AggFunc) and not isinstance(node.parent, exp.Window)
        for expression in select.selects
        for node in expression.walk(prune=lambda n: isinstance(n, exp.Query | exp.Window))
    )


@dataclass
class Grouping:
    """Collects keys and aggregates of one SELECT while its clauses are lowered."""

    relation: Relation
    names: Names
    context: Context
    keys: list[tuple[exp.Expr, Column, exp.Expr]] = field(default_factory=list)
    arguments: list[tuple[Column, exp.Expr]] = field(default_factory=list)
    aggregates: list[tuple[Column, exp.Expr]] = field(default_factory=list)

    def _argument(self, expression: exp.Expr, stem: str) -> exp.Expr:
        """A column of the projection below that holds an expression, shared by equal ones."""
        for c, known in self.arguments:
            if known == expression:
                return column(c.name)
        name = expression.name if isinstance(expression, exp.Column) else f"{stem}_{len(self.arguments) + 1}"
        self.arguments.append((Column(name, infer(expression, self.relation.columns)), expression))
        return column(name)

    def add_key(self, written: exp.Expr) -> None:
        expression = resolve(written, self.names, self.context)
        reference = self._argument(expression, "group")
        c = next(c for c, _ in self.arguments if c.name == reference.name)
        if all(c.name != known.name for _, known, _ in self.keys):
            self.keys.append((written, c, reference))

    def _aggregate(self, function: exp.Expr, type_: str) -> exp.Expr:
        for c, known in self.aggregates:
            if known == function:
                return column(c.name)
        c = Column(f"{function.key}_{len(self.aggregates) + 1}", type_)
        self.aggregates.append((c, function))
        return column(c.name)

    def _count(self, argument: exp.Expr | None) -> exp.Expr:
        return self._aggregate(exp.Count(this=exp.Star() if argument is None else argument.copy()), "bigint")

    def _mean(self, argument: exp.Expr, type_: str) -> exp.Expr:
        summand = summand_type(type_)
        if not summand:
            reference = self._argument(argument, "argument")
            return self._aggregate(exp.Avg(this=reference), infer(exp.Avg(this=argument), self.relation.columns))
        exact = self._argument(exp.cast(argument, summand, dialect="spark"), "argument")
        total = self._aggregate(exp.Sum(this=exact), summand.replace("28", "38"))
        return exact_mean(total, self._count(exact), type_)

    def aggregate_function(self, node: exp.Expr) -> exp.Expr:
        """What stands for an aggregate call above the aggregate operator."""
        self._check_function(node)
        if isinstance(node, exp.Count) and (isinstance(node.this, exp.Star | exp.Literal)):
            return self._count(None)
        argument = resolve(node.this, self.names, self.context)
        type_ = infer(argument, self.relation.columns)
        if isinstance(node, exp.Avg):
            return self._mean(argument, type_)
        reference = self._argument(argument, "argument")
        if isinstance(node, exp.Count):
            return self._count(reference)
        function = type(node)(this=reference)
        return self._aggregate(function, infer(type(node)(this=argument), self.relation.columns))

    def _check_function(self, node: exp.Expr) -> None:
        name = node.key.upper()
        if not isinstance(node, _SUPPORTED) or node.args.get("expressions"):
            check_scalar(node, self.context)
            raise self.context.refuse(f"aggregate function {name}", node)
        if isinstance(node.this, exp.Distinct):
            raise self.context.refuse(f"{name}(DISTINCT ...)", node)
        if isinstance(node.parent, exp.Filter | exp.WithinGroup | exp.IgnoreNulls | exp.RespectNulls | exp.Window):
            check_scalar(node.parent, self.context)

    def over(self, expression: exp.Expr) -> exp.Expr:
        """An expression of SELECT or HAVING over the columns of the aggregate."""
        for written, _, reference in self.keys:
            if expression == written:
                return reference.copy()
        if isinstance(expression, exp.AggFunc):
            return self.aggregate_function(expression)
        if isinstance(expression, exp.Column):
            message = f"column {expression.sql('spark')} is neither grouped nor aggregated"
            raise self.context.wrong(message, expression, "add it to GROUP BY")
        if isinstance(expression, exp.Anonymous):
            self._check_anonymous(expression)
        if isinstance(expression, exp.Query | exp.Window | exp.Filter | exp.In | exp.Lambda):
            check_scalar_above(expression, self.context)
        rewritten = expression.copy()
        for original, copied in zip(
            list(expression.iter_expressions()), list(rewritten.iter_expressions()), strict=True
        ):
            copied.replace(self.over(original))
        return rewritten

    def _check_anonymous(self, function: exp.Anonymous) -> None:
        """A function without a class may be an aggregate, which only Spark knows."""
        check_scalar(function, self.context)
        if any(not self._is_key(node) for node in function.find_all(exp.Column)):
            raise self.context.refuse(f"function {function.name.upper()} over a group", function)

    def _is_key(self, node: exp.Column) -> bool:
        return any(node == written for written, _, _ in self.keys)

    def build(self) -> Relation:
        """The aggregate over a projection to what it needs."""
        below = self.relation
        if self.arguments:
            below = project(below, tuple(self.arguments))
        keys = tuple((c, reference) for _, c, reference in self.keys)
        return Aggregate(below, keys, tuple(self.aggregates))


def check_scalar_above(expression: exp.Expr, context: Context) -> None:
    """Refuse subqueries, windows and filters between the aggregates of a SELECT; IN lists pass."""
    if not (isinstance(expression, exp.In) and not expression.args.get("query")):
        check_scalar(expression, context)


def group_expressions(select: exp.Select, context: Context) -> Sequence[exp.Expr]:
    """The written keys; a number left over stands for that output."""
    group = select.args.get("group")
    if group is None:
        return ()
    for key, words in (
        ("cube", "CUBE"),
        ("rollup", "ROLLUP"),
        ("grouping_sets", "GROUPING SETS"),
        ("all", "GROUP BY ALL"),
    ):
        if group.args.get(key):
            raise context.refuse(words, group)
    refuse_other_arguments(group, frozenset({"expressions"}), context)
    for expression in group.expressions:
        if isinstance(expression, exp.Rollup | exp.Cube | exp.GroupingSets):
            raise context.refuse(expression.key.replace("sets", " sets").upper(), group)
    return [_by_position(e, select) for e in group.expressions]


def _by_position(expression: exp.Expr, select: exp.Select) -> exp.Expr:
    if isinstance(expression, exp.Literal) and expression.is_int:
        chosen: exp.Expr = select.selects[int(expression.name) - 1].unalias()
        return chosen
    return expression
