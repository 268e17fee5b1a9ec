"""Subqueries in expressions: scalar, IN, EXISTS, ANY and ALL, correlated or not, under OR and NOT."""

from __future__ import annotations

from tests.properties.grammar.draw import NUMBERS, ORDERED, Columns, Value
from tests.properties.grammar.scalars import Scalars

_JOINED = frozenset({"int", "string", "date"})


def qualified(columns: Columns, alias: str) -> list[Value]:
    return [Value(f"{alias}.{c.sql}", c.kind) for c in columns]


class Subqueries(Scalars):
    """Values and truth values that read other rows."""

    def source(self, depth: int) -> tuple[str, list[Value]]:
        """Something to read from under a fresh alias; drawn by the FROM clause's class."""
        raise NotImplementedError

    def correlation(self, inner: Columns, outer: Columns) -> str:
        """A condition that ties rows of a subquery to a row outside, or nothing where no kinds meet."""
        pairs = [(i.sql, o.sql) for i in inner for o in outer if i.kind == o.kind and i.kind in _JOINED]
        if not pairs:
            return ""
        tied, to = self.pick(pairs)
        if self.chance(0.2):
            self.use("correlated by inequality")
            return f"{tied} {self.pick(('<', '>=', '<>'))} {to}"
        extra = f" and {self.comparison(inner)}" if self.chance(0.3) else ""
        return f"{tied} = {to}{extra}"

    def _reading(self, depth: int, outer: Columns, correlated: float = 0.6) -> tuple[str, list[Value], bool]:
        """FROM and WHERE of a subquery, the columns it reads, and whether it is correlated."""
        text, columns = self.source(max(depth - 1, 0))
        tie = self.correlation(columns, outer) if self.chance(correlated) else ""
        if not tie and self.chance(0.5):
            return f"{text} where {self.condition(columns)}", columns, False
        return f"{text} where {tie}" if tie else text, columns, bool(tie)

    # -- scalar ---------------------------------------------------------------------------------------------

    def scalar_subquery(self, depth: int, outer: Columns) -> Value:
        text, columns, correlated = self._reading(depth, outer)
        self.use("correlated scalar subquery" if correlated else "scalar subquery")
        values = self.of_kind(columns, ORDERED - {"bool"})
        if not values or self.chance(0.25):
            return Value(f"(select count(*) from {text})", "int")
        value = self.pick(values)
        if self.chance(0.15):
            self.use("correlated LIMIT 1" if correlated else "LIMIT")
            return Value(f"(select {value.sql} from {text} order by {value.sql} limit 1)", value.kind)
        functions = ["min", "max", "sum"] if value.kind in NUMBERS else ["min", "max"]
        return Value(f"(select {self.pick(functions)}({value.sql}) from {text})", value.kind)

    def compared_subquery(self, depth: int, columns: Columns) -> str:
        value = self.scalar_subquery(depth, columns)
        peers = [c.sql for c in columns if c.kind == value.kind] or [self.literal(value.kind)]
        return f"{self.pick(peers)} {self.pick(('=', '<', '>=', '<>'))} {value.sql}"

    # -- predicates -----------------------------------------------------------------------------------------

    def membership(self, depth: int, columns: Columns) -> str:
        """IN or NOT IN of one column, or of two."""
        text, inner, correlated = self._reading(depth, columns, 0.25)
        pairs = [(o.sql, i.sql) for i in inner for o in columns if i.kind == o.kind and i.kind in ORDERED]
        if not pairs:
            return self.existence(depth, columns)
        if correlated:
            self.use("correlated IN")
        word = self.one_of({"IN subquery": "in", "NOT IN subquery": "not in"})
        (left, right), (other, more) = self.pick(pairs), self.pick(pairs)
        if self.chance(0.12) and left != other and "row IN subquery" not in self.left_out:
            self.use("row IN subquery")
            return f"({left}, {other}) {word} (select {right}, {more} from {text})"
        return f"{left} {word} (select {right} from {text})"

    def existence(self, depth: int, columns: Columns) -> str:
        text, _, correlated = self._reading(depth, columns, 0.85)
        if not correlated:
            self.use("uncorrelated EXISTS")
        return f"{self.one_of({'EXISTS': 'exists', 'NOT EXISTS': 'not exists'})} (select 1 from {text})"

    def quantified(self, depth: int, columns: Columns) -> str:
        text, inner, _ = self._reading(depth, columns, 0.3)
        pairs = [(o.sql, i.sql) for i in inner for o in columns if i.kind == o.kind and i.kind in ORDERED]
        if not pairs:
            return self.existence(depth, columns)
        left, right = self.pick(pairs)
        operator = self.pick(("=", "<>", "<", ">="))
        return f"{left} {operator} {self.one_of({'ANY': 'any', 'ALL': 'all'})} (select {right} from {text})"

    def predicate(self, depth: int, columns: Columns) -> str:
        """A condition with a subquery, maybe under OR or NOT."""
        forms = (
            self.membership,
            self.membership,
            self.existence,
            self.existence,
            self.compared_subquery,
            self.quantified,
        )
        found = self.pick(forms)(depth, columns)
        if self.chance(0.2):
            self.use("subquery under OR")
            other = self.pick(forms)(depth, columns) if self.chance(0.3) else self.comparison(columns)
            found = f"({found} or {other})"
        if self.chance(0.15):
            self.use("subquery under NOT")
            found = f"not ({found})"
        return found

    def selected(self, depth: int, columns: Columns) -> Value:
        """A value of the SELECT list that may hold a subquery."""
        if not self.chance(0.2) or not self.spend():
            return self.scalar(columns)
        if self.chance(0.4):
            self.use("subquery in CASE")
            value = self.scalar(columns)
            return Value(f"case when {self.predicate(depth, columns)} then {value.sql} end", value.kind)
        self.use("subquery in SELECT")
        return self.scalar_subquery(depth, columns)

    def where(self, depth: int, columns: Columns) -> str:
        if self.chance(0.25) and self.spend():
            self.use("subquery in WHERE")
            more = f" and {self.comparison(columns)}" if self.chance(0.3) else ""
            return f" where {self.predicate(depth, columns)}{more}"
        return f" where {self.condition(columns)}" if self.chance(0.3) else ""
