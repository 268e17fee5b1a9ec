"""Random queries over three small tables, as SQL text, with the kind of each output column."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from itertools import count

from hypothesis import strategies as st

from trickle.model.names import RelationName
from trickle.model.schema import Column, TableSchema

A, B, C = (RelationName("shop", name) for name in "abc")
SCHEMAS = {
    A: TableSchema(
        (
            Column("id", "int"),
            Column("g", "int"),
            Column("x", "decimal(6,2)"),
            Column("f", "double"),
            Column("s", "string"),
        )
    ),
    B: TableSchema((Column("g", "int"), Column("y", "bigint"), Column("s", "string"))),
    C: TableSchema((Column("id", "int"), Column("z", "smallint"))),
}

_small = st.integers(0, 3)
_VALUES = {
    "int": st.none() | _small,
    "smallint": st.none() | _small,
    "bigint": st.none() | st.integers(-2, 2),
    "decimal(6,2)": st.none() | st.sampled_from([Decimal("0.50"), Decimal("1.25"), Decimal("-3.00"), Decimal("2.00")]),
    "double": st.none() | st.sampled_from([0.5, 1.5, -2.0, 4.0]),
    "string": st.none() | st.sampled_from(["a", "b", ""]),
}
_NUMBERS = frozenset({"int", "smallint", "bigint", "decimal(6,2)", "double", "number"})


def row_of(name: RelationName) -> st.SearchStrategy[tuple[object, ...]]:
    return st.tuples(*(_VALUES[c.type] for c in SCHEMAS[name].columns))


@dataclass(frozen=True)
class Select:
    """A query's text and its columns by name and kind."""

    sql: str
    columns: tuple[tuple[str, str], ...]


@dataclass
class Builder:
    """Draws one query; every name it gives is new."""

    draw: st.DrawFn
    numbers: count[int]

    def fresh(self, stem: str) -> str:
        return f"{stem}{next(self.numbers)}"

    def pick(self, options: list[str]) -> str:
        return self.draw(st.sampled_from(options))

    def table(self) -> tuple[str, list[tuple[str, str]]]:
        name = self.draw(st.sampled_from([A, B, C]))
        alias = self.fresh("t")
        return f"shop.{name.table} as {alias}", [(f"{alias}.{c.name}", c.type) for c in SCHEMAS[name].columns]

    def source(self, depth: int) -> tuple[str, list[tuple[str, str]]]:
        if depth == 0 or self.draw(st.booleans()):
            return self.table()
        inner, alias = self.query(depth - 1), self.fresh("q")
        return f"({inner.sql}) as {alias}", [(f"{alias}.{name}", kind) for name, kind in inner.columns]

    def joined(self, depth: int) -> tuple[str, list[tuple[str, str]]]:
        text, columns = self.source(depth)
        for _ in range(self.draw(st.integers(0, 2))):
            more, theirs = self.source(max(depth - 1, 0))
            pairs = [
                f"{a} = {b}"
                for a, k in columns
                for b, j in theirs
                if {k, j} <= {"int", "smallint"} or k == j == "string"
            ]
            if not pairs:
                continue
            condition = self.pick(pairs)
            if self.draw(st.integers(0, 4)) == 0:
                condition += f" and {self.condition(columns + theirs)}"
            text, columns = f"{text} join {more} on {condition}", columns + theirs
        return text, columns

    def scalar(self, columns: list[tuple[str, str]]) -> tuple[str, str]:
        name, kind = self.draw(st.sampled_from(columns))
        if kind not in _NUMBERS:
            return self.draw(st.sampled_from([(name, kind), (f"coalesce({name}, 'n')", kind)]))
        forms = [(name, kind), (f"{name} + 1", "number"), (f"case when {name} > 1 then {name} end", kind)]
        return self.draw(st.sampled_from(forms))

    def condition(self, columns: list[tuple[str, str]]) -> str:
        name, kind = self.draw(st.sampled_from(columns))
        if kind not in _NUMBERS:
            return self.pick([f"{name} is not null", f"{name} = 'a'", f"({name} <> 'b' or {name} is null)"])
        return self.pick([f"{name} > 0", f"{name} is null", f"{name} in (1, 2)", f"not {name} = 1", f"{name} <=> null"])

    def where(self, columns: list[tuple[str, str]]) -> str:
        return f" where {self.condition(columns)}" if self.draw(st.booleans()) else ""

    def plain(self, depth: int) -> Select:
        text, columns = self.joined(depth)
        chosen = [self.scalar(columns) for _ in range(self.draw(st.integers(1, 3)))]
        named = [(self.fresh("c"), expression, kind) for expression, kind in chosen]
        listed = ", ".join(f"{expression} as {name}" for name, expression, _ in named)
        distinct = "distinct " if self.draw(st.integers(0, 3)) == 0 else ""
        sql = f"select {distinct}{listed} from {text}{self.where(columns)}"
        return Select(sql, tuple((name, kind) for name, _, kind in named))

    def aggregate(self, columns: list[tuple[str, str]]) -> tuple[str, str]:
        name, kind = self.draw(st.sampled_from(columns))
        functions = ["count"] if kind not in _NUMBERS else ["count", "sum", "sum", "avg", "min", "max"]
        if self.draw(st.integers(0, 3)) == 0:
            return "count(*)", "bigint"
        function = self.pick(functions)
        return f"{function}({name})", "number" if function != "count" else "bigint"

    def grouped(self, depth: int) -> Select:
        text, columns = self.joined(depth)
        keys = [self.scalar(columns) for _ in range(self.draw(st.integers(0, 2)))]
        values = [self.aggregate(columns) for _ in range(self.draw(st.integers(1, 3)))]
        named = [(self.fresh("c"), expression, kind) for expression, kind in keys + values]
        listed = ", ".join(f"{expression} as {name}" for name, expression, _ in named)
        by = f" group by {', '.join(str(i + 1) for i in range(len(keys)))}" if keys else ""
        having = self.pick(["", "", " having count(*) > 1", f" having {values[0][0]} > 0"])
        sql = f"select {listed} from {text}{self.where(columns)}{by}{having}"
        return Select(sql, tuple((name, kind) for name, _, kind in named))

    def union(self, depth: int) -> Select:
        left, right = self.joined(depth), self.joined(max(depth - 1, 0))
        word, name = self.pick(["union all", "union"]), self.fresh("c")
        pairs = [(a, b, k) for a, k in left[1] for b, j in right[1] if k == j and k != "number"]
        if not pairs:
            return self.plain(depth)
        a, b, kind = self.draw(st.sampled_from(pairs))
        sql = f"select {a} as {name} from {left[0]}{self.where(left[1])} {word} select {b} from {right[0]}"
        return Select(sql, ((name, kind),))

    def query(self, depth: int) -> Select:
        return self.draw(st.sampled_from([self.plain, self.grouped, self.grouped, self.union]))(depth)


@st.composite
def queries(draw: st.DrawFn) -> str:
    """A query of up to three levels."""
    return Builder(draw, count(1)).query(draw(st.integers(0, 2))).sql
