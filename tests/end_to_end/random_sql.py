"""Random tables, queries and changes whose SQL means the same in Spark and in PostgreSQL."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

TABLES = {
    "a": "create table a (id int primary key, k int, v numeric(8,2), s text)",
    "b": "create table b (k int, g text, x bigint)",
    "c": "create table c (k int not null, d int not null, s text, primary key (k, d))",
}
COLUMNS = {
    "a": {"id": "int", "k": "int", "v": "dec", "s": "text"},
    "b": {"k": "int", "g": "text", "x": "int"},
    "c": {"k": "int", "d": "int", "s": "text"},
}
NUMERIC = {"int", "dec"}


@dataclass(frozen=True)
class Query:
    """A query over the tables (`{a}`) or another query (`{@q1}`), and the kinds of its columns."""

    sql: str
    columns: dict[str, str]
    postgres: bool = True


def literal(kind: str) -> SearchStrategy[str]:
    if kind == "int":
        return st.sampled_from(["null", "0", "1", "2", "3", "-1"])
    if kind == "dec":
        return st.sampled_from(["null", "0", "0.10", "1.50", "-2.25", "99.99"])
    return st.sampled_from(["null", "'x'", "'y'", "''", "'Ü'"])


def present(kind: str) -> SearchStrategy[str]:
    return literal(kind).filter(lambda text: text != "null")


@dataclass(frozen=True)
class Scope:
    """Columns that can be used, by qualified name."""

    columns: dict[str, str]

    def of(self, *kinds: str) -> list[str]:
        return [name for name, kind in self.columns.items() if kind in kinds]


@st.composite
def predicates(draw: DrawFn, scope: Scope) -> str:
    name = draw(st.sampled_from(sorted(scope.columns)))
    kind = scope.columns[name]
    shape = draw(st.sampled_from(["compare", "compare", "null", "in", "not", "or"]))
    if shape == "null":
        return f"{name} is {draw(st.sampled_from(['', 'not ']))}null"
    if shape == "in":
        return f"{name} in ({draw(present(kind))}, {draw(present(kind))})"
    simple = f"{name} {draw(st.sampled_from(['=', '<>', '<', '>=']))} {draw(present(kind))}"
    if shape == "not":
        return f"not ({simple})"
    if shape == "or":
        other = draw(st.sampled_from(sorted(scope.columns)))
        return f"({simple} or {other} is null)"
    return simple


@st.composite
def expressions(draw: DrawFn, scope: Scope) -> tuple[str, str]:
    """A scalar expression and its kind."""
    numbers = scope.of("int")
    shape = draw(st.sampled_from(["column", "column", "column", "plus", "case", "coalesce"]))
    if shape == "plus" and len(numbers) >= 1:
        left, right = draw(st.sampled_from(numbers)), draw(st.sampled_from(numbers))
        return f"{left} + {right}", "int"
    name = draw(st.sampled_from(sorted(scope.columns)))
    kind = scope.columns[name]
    if shape == "case":
        return f"case when {draw(predicates(scope))} then {name} else null end", kind
    if shape == "coalesce" and kind != "dec":
        return f"coalesce({name}, {draw(present(kind))})", kind
    return name, kind


@st.composite
def sources(draw: DrawFn, upstream: dict[str, Query]) -> tuple[str, Scope]:
    """A FROM clause of one to three relations."""
    count = draw(st.integers(1, 3))
    parts: list[str] = []
    columns: dict[str, str] = {}
    for i in range(count):
        alias = f"t{i}"
        relation, own = draw(relations(upstream))
        scope = {f"{alias}.{name}": kind for name, kind in own.items()}
        parts.append(relation + f" {alias}" if i == 0 else draw(joins(relation, alias, columns, scope)))
        columns |= scope
    return " ".join(parts), Scope(columns)


@st.composite
def relations(draw: DrawFn, upstream: dict[str, Query]) -> tuple[str, dict[str, str]]:
    names = sorted(upstream)
    if names and draw(st.integers(0, 3)) == 0:
        name = draw(st.sampled_from(names))
        return "{@" + name + "}", upstream[name].columns
    table = draw(st.sampled_from(sorted(COLUMNS)))
    if draw(st.integers(0, 4)) == 0:
        inner = Scope(COLUMNS[table])
        return f"(select * from {{{table}}} where {draw(predicates(inner))})", COLUMNS[table]
    return "{" + table + "}", COLUMNS[table]


@st.composite
def joins(draw: DrawFn, relation: str, alias: str, left: dict[str, str], right: dict[str, str]) -> str:
    pairs = [(a, b) for a, kind in left.items() for b, other in right.items() if kind == other]
    if not pairs or draw(st.integers(0, 7)) == 0:
        return f"cross join {relation} {alias}"
    first, second = draw(st.sampled_from(pairs))
    condition = f"{first} = {second}"
    if draw(st.booleans()):
        condition += f" and {draw(predicates(Scope({**left, **right})))}"
    return f"join {relation} {alias} on {condition}"


@st.composite
def selects(draw: DrawFn, upstream: dict[str, Query]) -> Query:
    clause, scope = draw(sources(upstream))
    where = f" where {draw(predicates(scope))}" if draw(st.booleans()) else ""
    if draw(st.booleans()):
        return draw(aggregates(clause + where, scope))
    items = draw(st.lists(expressions(scope), min_size=1, max_size=4))
    distinct = "distinct " if draw(st.integers(0, 2)) == 0 else ""
    listed = ", ".join(f"{text} as c{i}" for i, (text, _) in enumerate(items))
    return Query(
        f"select {distinct}{listed} from {clause}{where}", {f"c{i}": kind for i, (_, kind) in enumerate(items)}
    )


@st.composite
def aggregates(draw: DrawFn, clause: str, scope: Scope) -> Query:
    keys = draw(st.lists(expressions(scope), max_size=2))
    items: list[tuple[str, str]] = list(keys)
    postgres = True
    for _ in range(draw(st.integers(1, 3))):
        text, kind = draw(aggregate(scope))
        postgres = postgres and "avg(" not in text
        items.append((text, kind))
    listed = ", ".join(f"{text} as c{i}" for i, (text, _) in enumerate(items))
    group = f" group by {', '.join(text for text, _ in keys)}" if keys else ""
    having = f" having count(*) {draw(st.sampled_from(['> 1', '= 2', '<> 1']))}" if draw(st.integers(0, 3)) == 0 else ""
    columns = {f"c{i}": kind for i, (_, kind) in enumerate(items)}
    return Query(f"select {listed} from {clause}{group}{having}", columns, postgres)


@st.composite
def aggregate(draw: DrawFn, scope: Scope) -> tuple[str, str]:
    name = draw(st.sampled_from(["count(*)", "count", "sum", "sum", "min", "max", "avg"]))
    if name == "count(*)":
        return name, "big"
    numbers = scope.of(*NUMERIC)
    if name in {"sum", "avg"} and not numbers:
        name = "count"
    column = draw(st.sampled_from(numbers if name in {"sum", "avg"} else sorted(scope.columns)))
    kind = {"count": "big", "sum": "big", "avg": "big"}.get(name, scope.columns[column])
    return f"{name}({column})", kind


@st.composite
def queries(draw: DrawFn, upstream: dict[str, Query]) -> Query:
    first = draw(selects(upstream))
    if draw(st.integers(0, 4)):
        return first
    word = draw(st.sampled_from(["union all", "union"]))
    names = {f"u.{name}": kind for name, kind in first.columns.items() if kind != "big"}
    guard = f" where {draw(predicates(Scope(names)))}" if names else ""
    return Query(f"{first.sql} {word} select * from ({first.sql}) u{guard}", first.columns, first.postgres)


@st.composite
def projects(draw: DrawFn, count: int) -> dict[str, Query]:
    """Stream tables, some of which read earlier ones."""
    made: dict[str, Query] = {}
    for i in range(count):
        usable = {name: query for name, query in made.items() if query.postgres and _readable(query)}
        made[f"q{i}"] = draw(queries(usable))
    return made


def _readable(query: Query) -> bool:
    return all(kind != "big" for kind in query.columns.values())


@st.composite
def rows(draw: DrawFn, table: str) -> str:
    values = ", ".join(draw(literal(kind)) for kind in COLUMNS[table].values())
    return f"({values})"


@st.composite
def changes(draw: DrawFn) -> str:
    """One statement; inserts ignore rows that break a key."""
    table = draw(st.sampled_from(sorted(COLUMNS)))
    kind = draw(st.sampled_from(["insert"] * 5 + ["update", "update", "delete", "swap", "truncate", "copy"]))
    names = sorted(COLUMNS[table])
    column = draw(st.sampled_from([name for name in names if name not in {"id", "d"}]))
    value = draw(present(COLUMNS[table][column]))
    guard = draw(predicates(Scope(COLUMNS[table])))
    if kind == "insert":
        return draw(inserts(table))
    if kind == "truncate":
        return f"truncate {table}" if draw(st.integers(0, 2)) == 0 else f"delete from {table}"
    if kind == "copy" and table == "b":
        return "insert into b select * from b limit 3"
    if kind == "swap":
        return f"update {table} set k = case k when 1 then 2 when 2 then 1 else k end"
    if kind == "delete":
        return f"delete from {table} where {guard}"
    if table == "a" and draw(st.booleans()):
        return f"update a set id = id + 1000 where {guard}"
    return f"update {table} set {column} = {value} where {guard}"


@st.composite
def inserts(draw: DrawFn, table: str) -> str:
    made = draw(st.lists(rows(table), min_size=1, max_size=4))
    if table == "a":
        numbered = [f"({draw(st.integers(0, 40))}{row[row.index(',') :]}" for row in made]
        return f"insert into a values {', '.join(numbered)} on conflict do nothing"
    if table == "c":
        numbered = [f"({draw(st.integers(0, 3))}, {draw(st.integers(0, 4))}, {row.rsplit(', ', 1)[1]}" for row in made]
        return f"insert into c values {', '.join(numbered)} on conflict (k, d) do update set s = excluded.s"
    return f"insert into b values {', '.join(made)}"


def batches() -> SearchStrategy[list[str]]:
    """Statements of one cycle."""
    return st.lists(changes(), min_size=2, max_size=8)
