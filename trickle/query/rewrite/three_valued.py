"""`x op ANY (subquery)` as EXISTS, with SQL's three values: true for one true row, else unknown for one unknown row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sqlglot import exp
from sqlglot.optimizer.scope import find_in_scope

MEMBER = "_member"
_SHAPING = ("group", "having", "distinct", "limit", "offset", "qualify", "with_", "windows", "laterals")

Condition = Callable[[Sequence[exp.Expr]], exp.Expr]


class Position(StrEnum):
    """What becomes of a condition's value."""

    CONJUNCT = "conjunct"
    """It stands alone, or beside AND, in WHERE, HAVING or ON."""
    FILTER = "filter"
    """It is part of a larger filter, in which unknown and false are alike."""
    VALUE = "value"
    """It is a value, in which they differ."""


def position(node: exp.Expr) -> Position:
    """Where a condition stands; negation makes unknown and false differ."""
    found = Position.CONJUNCT
    child, parent = node, node.parent
    while isinstance(parent, exp.Paren | exp.And | exp.Or):
        found = Position.FILTER if isinstance(parent, exp.Or) else found
        child, parent = parent, parent.parent
    if isinstance(parent, exp.Where | exp.Having):
        return Position.FILTER if isinstance(parent.parent, exp.Filter) else found
    if isinstance(parent, exp.Join) and child.arg_key == "on":
        return found
    return Position.FILTER if isinstance(parent, exp.If) and child.arg_key == "this" else Position.VALUE


@dataclass(frozen=True, slots=True)
class AnyComparison:
    """`(x, …) op ANY (query)`; with several values, op is equality of rows."""

    values: tuple[exp.Expr, ...]
    operator: type[exp.Binary]
    query: exp.Query

    @property
    def by_equality(self) -> bool:
        return self.operator is exp.EQ and len(self.values) == 1

    def true(self) -> exp.Expr:
        """Whether it is true for some row."""
        return _exists(self, self._matches)

    def unknown(self) -> exp.Expr:
        """Whether it is unknown for some row; told apart from true only where no row is true."""
        if not self.by_equality:
            return _exists(self, lambda v: exp.Is(this=exp.paren(self._matches(v)), expression=exp.null()))
        [value] = self.values
        null_member = _exists(self, lambda v: _is_null(v[0]))
        if isinstance(value, exp.Literal):
            return null_member
        nothing_to_find = exp.and_(_is_null(value), _exists(self, None))
        return exp.or_(null_member, exp.paren(nothing_to_find))

    def not_false(self) -> exp.Expr:
        """Whether it is true or unknown for some row."""
        if self.by_equality:
            return exp.or_(self.true(), self.unknown())
        return _exists(self, self._possible)

    def value(self) -> exp.Expr:
        """Its value in three-valued logic."""
        cases = [exp.If(this=self.true(), true=exp.true()), exp.If(this=self.unknown(), true=exp.null())]
        return exp.Case(ifs=cases, default=exp.false())

    def _matches(self, members: Sequence[exp.Expr]) -> exp.Expr:
        pairs = zip(self.values, members, strict=True)
        return exp.and_(*(self.operator(this=_operand(x), expression=_operand(v)) for x, v in pairs))

    def _possible(self, members: Sequence[exp.Expr]) -> exp.Expr:
        pairs = zip(self.values, members, strict=True)
        parts = [exp.or_(self.operator(this=_operand(x), expression=_operand(v)), *_nulls(x, v)) for x, v in pairs]
        return exp.and_(*(exp.paren(part) for part in parts))


def _nulls(x: exp.Expr, v: exp.Expr) -> list[exp.Expr]:
    return [_is_null(side) for side in (x, v) if not isinstance(side, exp.Literal)]


def _is_null(node: exp.Expr) -> exp.Expr:
    return exp.Is(this=_operand(node), expression=exp.null())


def _operand(node: exp.Expr) -> exp.Expr:
    return exp.paren(node) if isinstance(node, exp.Binary | exp.Not) else node.copy()


def _exists(comparison: AnyComparison, condition: Condition | None) -> exp.Expr:
    """EXISTS over the rows of the query that meet a condition on its columns."""
    query = comparison.query
    if isinstance(query, exp.Select) and _is_plain(query) and not _captures(query, comparison.values):
        select = query.copy()
        values = [item.unalias() for item in select.selects]
        select.set("order", None)
    else:
        alias = exp.TableAlias(this=exp.to_identifier(MEMBER, quoted=True))
        select = exp.Select(from_=exp.From(this=exp.Subquery(this=query.copy(), alias=alias)))
        values = [exp.column(name, table=MEMBER, quoted=True) for name in query.named_selects]
    select.set("expressions", [exp.alias_(exp.Literal.number(1), "_one", quoted=True)])
    return exp.Exists(this=select.where(condition(values)) if condition is not None else select)


def _is_plain(select: exp.Select) -> bool:
    """Whether a condition on the outputs may as well be asked of the rows below."""
    if any(select.args.get(key) for key in _SHAPING) or select.args.get("from_") is None:
        return False
    return not any(find_in_scope(item, exp.AggFunc, exp.Window, exp.UDTF, exp.Explode) for item in select.selects)


def _captures(query: exp.Query, values: Sequence[exp.Expr]) -> bool:
    """Whether a value would mean another relation inside the query."""
    inside = {node.alias_or_name for node in query.find_all(exp.Table, exp.Subquery, exp.Values, exp.Lateral)}
    return any(c.table in inside for value in values for c in value.find_all(exp.Column))
