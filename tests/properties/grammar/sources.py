"""FROM: tables, subqueries, CTEs, VALUES and generated rows, joined in every way."""

from __future__ import annotations

from tests.properties.grammar.draw import KINDS, ORDERED, Columns, Select, Value
from tests.properties.grammar.subqueries import Subqueries, qualified
from tests.properties.random_tables import SCHEMAS

TABLES = {
    f"shop.{name.table}": tuple(Value(c.name, KINDS[c.type]) for c in schema.columns)
    for name, schema in SCHEMAS.items()
}
_EQUAL = frozenset({"int", "string", "date"})
_COMPARED = frozenset({"int", "decimal", "double"})
Source = tuple[str, list[Value]]


class Sources(Subqueries):
    """What a SELECT reads."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self.ctes: list[Select] = []

    # -- one relation ---------------------------------------------------------------------------------------

    def table(self, name: str = "") -> Source:
        name, alias = name or self.pick(sorted(TABLES)), self.fresh("t")
        return f"{name} as {alias}", qualified(TABLES[name], alias)

    def source(self, depth: int) -> Source:
        if self.ctes and self.chance(0.5):
            cte, alias = self.pick(self.ctes), self.fresh("t")
            return f"{cte.sql} as {alias}", qualified(cte.columns, alias)
        if self.chance(0.07):
            return self.values()
        if depth <= 0 or self.chance(0.4) or not self.spend():
            return self.table()
        self.use("subquery in FROM")
        inner, alias = self.query(depth - 1), self.fresh("q")
        return f"({inner.sql}) as {alias}", qualified(inner.columns, alias)

    def values(self) -> Source:
        self.use("VALUES")
        alias, number, text = self.fresh("v"), self.fresh("c"), self.fresh("c")
        rows = ", ".join(
            f"({self.pick(('0', '1', '2', 'null'))}, {self.pick(('null', *map(repr, 'ab')))})" for _ in range(2)
        )
        columns = [Value(number, "int"), Value(text, "string")]
        return f"(values (1, 'a'), {rows}) as {alias}({number}, {text})", qualified(columns, alias)

    # -- joins ----------------------------------------------------------------------------------------------

    def equality(self, left: Columns, right: Columns) -> str:
        pairs = [f"{a.sql} = {b.sql}" for a in left for b in right if a.kind == b.kind and a.kind in _EQUAL]
        if not pairs:
            return ""
        both = " and ".join(dict.fromkeys((self.pick(pairs), self.pick(pairs))))
        return both if self.chance(0.15) else self.pick(pairs)

    def inequality(self, left: Columns, right: Columns) -> str:
        """A join condition that no hash finds; empty where no kinds meet."""
        equal = self.equality(left, right)
        pairs = [(a.sql, b.sql) for a in left for b in right if {a.kind, b.kind} <= _COMPARED]
        if not pairs or not equal:
            return equal
        a, b = self.pick(pairs)
        low = f"{a} between {b} - 1 and {b} + 1"
        either = f"({equal} or {a} > {b})"
        forms = {"theta join": f"{a} {self.pick(('<', '<>', '>='))} {b}", "range join": low, "OR join": either,
                 "null-safe join": equal.replace(" = ", " <=> ")}  # fmt: skip
        return self.one_of(forms)

    def join_condition(self, left: Columns, right: Columns) -> str:
        condition = self.inequality(left, right) if self.chance(0.2) else self.equality(left, right)
        if condition and self.chance(0.2):
            condition += f" and {self.comparison([*left, *right])}"
        return condition

    def joined(self, depth: int) -> Source:
        """Up to four relations; what follows a SEMI or ANTI JOIN sees only what is left."""
        if self.chance(0.08):
            return self.pick((self.natural, self.using, self.comma))()
        text, columns = self.source(depth)
        for _ in range(self.pick((0, 0, 0, 1, 1, 1, 2, 3))):
            if not self.spend():
                break
            text, columns = self.pick((self.join, self.join, self.join, self.join, self.lateral))(text, columns, depth)
        return text, columns

    def join(self, text: str, columns: list[Value], depth: int) -> Source:
        more, theirs = self.source(depth - 1) if self.chance(0.85) else self.again(text)
        condition = self.join_condition(columns, theirs)
        if not condition or self.chance(0.04):
            self.use("CROSS JOIN")
            return f"{text} cross join {more}", columns + theirs
        forms = {"INNER JOIN": "join", "LEFT JOIN": "left join", "RIGHT JOIN": "right join", "FULL JOIN": "full join",
                 "SEMI JOIN": "left semi join", "ANTI JOIN": "left anti join"}  # fmt: skip
        word = self.one_of(forms)
        seen = columns if word in ("left semi join", "left anti join") else columns + theirs
        return f"{text} {word} {more} on {condition}", seen

    def again(self, text: str) -> Source:
        """The table a FROM begins with once more, where it begins with a table."""
        name = text.split(" ")[0]
        if name in TABLES:
            self.use("self join")
        return self.table(name if name in TABLES else "")

    def comma(self) -> Source:
        """Two tables with nothing between them but a comma, one of them small."""
        self.use("comma join")
        (one, first), (two, second) = self.table(), self.values()
        return f"{one}, {two}", first + second

    def natural(self) -> Source:
        """Two tables by the columns they share, whose names then stand alone."""
        self.use("NATURAL JOIN")
        word = self.pick(("", "left ", "right ", "full "))
        return self._sharing(f"natural {word}join", "")

    def using(self) -> Source:
        self.use("USING")
        return self._sharing(self.pick(("join", "left join", "right join", "full join")), "g")

    def _sharing(self, word: str, key: str) -> Source:
        first, second = self.fresh("t"), self.fresh("t")
        shared = [key] if key else ["g", "s"]
        text = f"shop.a as {first} {word} shop.b as {second}" + (f" using ({key})" if key else "")
        own = [(first, TABLES["shop.a"]), (second, TABLES["shop.b"])]
        rest = [v for alias, columns in own for v in qualified([c for c in columns if c.sql not in shared], alias)]
        return text, [c for c in TABLES["shop.a"] if c.sql in shared] + rest

    def lateral(self, text: str, columns: list[Value], depth: int) -> Source:  # noqa: ARG002 drawn like any join
        """A subquery that sees the relations before it."""
        inner, theirs = self.source(0)
        tie = self.correlation(theirs, columns)
        if not tie:
            return text, columns
        alias = self.fresh("l")
        body, names = self._lateral_body(inner, theirs, tie)
        word = self.one_of({"LATERAL subquery": "join lateral", "LEFT JOIN LATERAL": "left join lateral"})
        on = " on true" if word.startswith("left") else ""
        return f"{text} {word} ({body}) as {alias}{on}", columns + qualified(names, alias)

    def _lateral_body(self, inner: str, theirs: Columns, tie: str) -> tuple[str, tuple[Value, ...]]:
        values = self.of_kind(theirs, ORDERED)
        if self.chance(0.4):
            listed, names = self.named([Value(f"max({self.pick(values).sql})", "unknown"), Value("count(*)", "int")])
            return f"select {listed} from {inner} where {tie}", names[1:]
        listed, names = self.named([self.pick(values), self.pick(values)])
        limit = ""
        if self.chance(0.3):
            self.use("LIMIT")
            limit = f" order by {names[0].sql} limit {self.pick((1, 2))}"
        return f"select {listed} from {inner} where {tie}{limit}", names

    # -- rows from arrays -----------------------------------------------------------------------------------

    def exploded(self, text: str, columns: list[Value]) -> Source:
        """LATERAL VIEW over an array of values of one kind."""
        kind = self.pick([k for k in ("int", "string", "int") if self.of_kind(columns, frozenset({k}))] or [""])
        if not kind:
            return text, columns
        own = [c.sql for c in columns if c.kind == kind]
        items = [self.pick([*own, self.literal(kind)]) for _ in range(2)] + [self.pick(own)]
        alias, place, value = self.fresh("e"), self.fresh("c"), self.fresh("c")
        array = f"array({', '.join(items)})"
        if self.chance(0.4):
            array = f"case when {self.comparison(columns)} then {array} end"
        type_ = {"int": "bigint", "string": "string"}[kind]
        structs = ", ".join(f"struct(cast({item} as {type_}) as u, {i} as i)" for i, item in enumerate(items))
        more = [Value(f"{alias}.{place}", "int"), Value(f"{alias}.{value}", kind)]
        forms: dict[str, Source] = {
            "explode": (f"{text} lateral view explode({array}) {alias} as {value}", more[1:]),
            "posexplode": (f"{text} lateral view posexplode({array}) {alias} as {place}, {value}", more),
            "inline": (f"{text} lateral view inline(array({structs})) {alias} as {value}, {place}", more),
            "LATERAL VIEW OUTER": (f"{text} lateral view outer explode({array}) {alias} as {value}", more[1:]),
        }
        found, new = self.one_of(forms)
        return found, columns + new
