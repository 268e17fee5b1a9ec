"""Whole queries: plain SELECTs, set operations, top-k, CTEs, recursion, and everything below them."""

from __future__ import annotations

from dataclasses import dataclass

from tests.properties.grammar.constructs import Engine
from tests.properties.grammar.draw import ORDERED, Select, Value
from tests.properties.grammar.windows import Windows


@dataclass(frozen=True)
class RandomQuery:
    """A query as text, and the constructs in it."""

    sql: str
    constructs: frozenset[str]


class Statements(Windows):
    """Any query."""

    def query(self, depth: int) -> Select:
        forms = [
            (self.plain, 5),
            (self.grouped, 6),
            (self.windowed, 3),
            (self.set_operation, 3),
            (self.top_k, 2),
            (self.from_arrays, 1),
            (self.with_cte, 2),
            (self.window_over_aggregate, 0.5),
            (self.named_window, 0.3),
            (self.recursive, 0.6),
            (self.pivoted, 0.4),
        ]
        (form,) = self.random.choices([f for f, _ in forms], [w for _, w in forms])
        return form(depth)

    def plain(self, depth: int) -> Select:
        text, columns = self.joined(depth)
        listed, names = self.named([self.selected(depth, columns) for _ in range(self.pick((1, 2, 3)))])
        distinct = ""
        if self.chance(0.25) and all(n.kind in ORDERED for n in names):
            self.use("DISTINCT")
            distinct = "distinct "
        return Select(f"select {distinct}{listed} from {text}{self.where(depth, columns)}", names)

    # -- several queries ------------------------------------------------------------------------------------

    def side(self, depth: int, kinds: list[str]) -> str | None:
        """A SELECT of different columns of these kinds; None when what it reads has none.

        Spark fails to plan some set operations over a column that is selected twice.
        """
        text, columns = self.joined(depth)
        chosen: list[str] = []
        for kind in kinds:
            left = [c.sql for c in columns if c.kind == kind and c.sql not in chosen]
            chosen += [self.pick(left)] if left else []
        if len(chosen) < len(kinds):
            return None
        return f"select {', '.join(chosen)} from {text}{self.where(depth, columns)}"

    def set_operation(self, depth: int) -> Select:
        text, columns = self.joined(depth)
        values = list(dict.fromkeys(self.column(columns) for _ in range(self.pick((1, 1, 2)))))
        other = self.side(depth - 1, [v.kind for v in values])
        if other is None or any(v.kind not in ORDERED for v in values):
            return self.plain(depth)
        word = self._set_word()
        listed, names = self.named(values)
        sql = f"select {listed} from {text}{self.where(depth, columns)} {word} {other}"
        third = self.side(0, [v.kind for v in values]) if self.chance(0.2) else None
        return Select(f"{sql} {self._set_word()} {third}" if third else sql, names)

    def _set_word(self) -> str:
        words = ["UNION", "UNION ALL", "EXCEPT", "EXCEPT ALL"]
        words += ["INTERSECT", "INTERSECT ALL"] if self.chance(0.6) else []
        return self.one_of({word: word.lower() for word in words})

    def top_k(self, depth: int) -> Select:
        """The first rows of a query in some order; ties are settled by the other columns."""
        below = self.pick((self.plain, self.grouped, self.set_operation))(depth)
        names = self.of_kind(below.columns, ORDERED)
        if len(names) < len(below.columns):
            return below
        self.use("LIMIT")
        order = ", ".join(f"{n.sql}{self.pick(('', ' desc', ' nulls last'))}" for n in names[: self.pick((1, 2))])
        offset = ""
        if self.chance(0.3):
            self.use("OFFSET")
            offset = f" offset {self.pick((1, 2))}"
        return Select(f"{below.sql} order by {order} limit {self.pick((1, 2, 3, 5))}{offset}", below.columns)

    def from_arrays(self, depth: int) -> Select:
        text, columns = self.exploded(*self.joined(depth))
        if self.chance(0.4):
            values = [self.column(columns), self.aggregate(columns)]
            self.use("GROUP BY")
            listed, names = self.named(values)
            return Select(f"select {listed} from {text}{self.where(depth, columns)} group by {values[0].sql}", names)
        listed, names = self.named([*(self.scalar(columns) for _ in range(2)), columns[-1]])
        return Select(f"select {listed} from {text}{self.where(depth, columns)}", names)

    # -- WITH -----------------------------------------------------------------------------------------------

    def with_cte(self, depth: int) -> Select:
        before, name = list(self.ctes), self.fresh("w")
        self.use("nested CTE" if before else "CTE")
        below = self.query(depth - 1) if depth > 0 and self.spend() else self.plain(0)
        self.ctes = [*before, Select(name, below.columns)]
        above = self.query(max(depth - 1, 0))
        self.ctes = before
        if above.sql.count(f"{name} as ") > 1:
            self.use("CTE used twice")
        if above.sql.startswith("with "):
            body = f"select * from ({above.sql}) as {self.fresh('q')}"
            return Select(f"with {name} as ({below.sql}) {body}", above.columns)
        return Select(f"with {name} as ({below.sql}) {above.sql}", above.columns)

    def recursive(self, depth: int) -> Select:  # noqa: ARG002 drawn like any query
        """Reachability over the edges: by UNION, or by UNION ALL to a limited length."""
        self.use("recursive CTE")
        name, node, length = self.fresh("r"), self.fresh("c"), self.fresh("c")
        start = self.pick(("select id, 0 from shop.c where id is not null", "select src, 0 from shop.e where src = 0",
                           "select distinct g, 0 from shop.b"))  # fmt: skip
        condition = self.pick(("", " and t.dst > 0", " and t.dst <> t.src"))
        word, grown = "union all", f"{name}.{length} + 1"
        if self.chance(0.4) and "UNION in a recursive CTE" not in self.left_out:
            self.use("UNION in a recursive CTE")
            word, grown = "union", "0"
        step = f"select t.dst, {grown} from {name} join shop.e as t on t.src = {name}.{node}"
        body = f"{start} {word} {step} where {name}.{length} < 2{condition}"
        columns = (Value(node, "int"), Value(length, "int"))
        ending = self.pick((f"select {node}, {length} from {name}",
                            f"select {node}, count(*) as {length} from {name} group by {node}",
                            f"select distinct {node}, 1 as {length} from {name}"))  # fmt: skip
        return Select(f"with recursive {name}({node}, {length}) as ({body}) {ending}", columns)

    # -- PIVOT ----------------------------------------------------------------------------------------------

    def pivoted(self, depth: int) -> Select:  # noqa: ARG002 drawn like any query
        one, two = self.fresh("c"), self.fresh("c")
        if self.chance(0.5):
            self.use("PIVOT")
            function = self.pick(("sum", "max", "count"))
            cells = f"pivot ({function}(y) for s in ('a' as {one}, 'b' as {two}))"
            return Select(
                f"select * from (select g, s, y from shop.b) {cells}",
                (Value("g", "int"), Value(one, "int"), Value(two, "int")),
            )
        self.use("UNPIVOT")
        nulls = self.pick(("", "include nulls "))
        cells = f"unpivot {nulls}({two} for {one} in (dst, up))"
        sql = f"select src, {one}, {two} from (select src, dst, src + 1 as up from shop.e) {cells}"
        return Select(sql, (Value("src", "int"), Value(one, "string"), Value(two, "int")))


def random_query(seed: int, engine: Engine) -> RandomQuery:
    """A query of up to four levels."""
    draw = Statements(seed, engine)
    query = draw.query(draw.pick((0, 1, 2, 2, 3, 3, 4)))
    if "LIMIT" in draw.used and " limit " in query.sql.rpartition(")")[2]:
        draw.use("LIMIT at the top")
    return RandomQuery(query.sql, frozenset(draw.used))
