"""Scalar expressions and plain conditions over the columns in sight."""

from __future__ import annotations

from tests.properties.grammar.draw import NUMBERS, ORDERED, RATIOS, Columns, Draw, Value

LITERALS = {
    "int": ("0", "1", "2"),
    "decimal": ("1.25", "0.50", "2"),
    "double": ("0.5d", "1.5d", "1"),
    "string": ("'a'", "'b'", "''"),
    "date": ("date '2024-01-02'", "date '2024-01-01'"),
    "bool": ("true", "false"),
    "ratio": ("1", "0.5d"),
    "mean": ("1", "0.75"),
}


class Scalars(Draw):
    """Values and truth values of one row."""

    def literal(self, kind: str) -> str:
        return self.pick(LITERALS[kind])

    def column(self, columns: Columns) -> Value:
        return self.pick(self.of_kind(columns, ORDERED) or columns)

    def scalar(self, columns: Columns) -> Value:
        """A column, or something computed from one."""
        value = self.column(columns)
        if value.kind not in ORDERED or self.chance(0.5):
            return value
        forms = self._any_forms(value)
        forms += {"int": self._int_forms, "string": self._string_forms, "date": self._date_forms}.get(
            value.kind, lambda _: []
        )(value)
        return self.pick(forms)

    def _any_forms(self, value: Value) -> list[Value]:
        name, kind, literal = value.sql, value.kind, self.literal(value.kind)
        return [
            Value(f"coalesce({name}, {literal})", kind) if kind not in RATIOS else value,
            Value(f"case when {name} > {literal} then {name} end", kind),
            Value(f"nullif({name}, {literal})", kind),
            Value(f"{name} is null", "bool"),
        ]

    def _int_forms(self, value: Value) -> list[Value]:
        name = value.sql
        forms = (f"{name} + 1", f"{name} % 2", f"-{name}", f"abs({name})", f"if({name} > 1, {name}, 0)")
        return [Value(form, "int") for form in forms] + [Value(f"{name} / 2", "double")]

    def _string_forms(self, value: Value) -> list[Value]:
        forms = [Value(form, "string") for form in (f"{value.sql} || 'c'", f"upper({value.sql})")]
        return [*forms, Value(f"length({value.sql})", "int")]

    def _date_forms(self, value: Value) -> list[Value]:
        return [Value(f"datediff({value.sql}, date '2024-01-01')", "int"), Value(f"year({value.sql})", "int")]

    def comparison(self, columns: Columns) -> str:
        """A condition over one or two columns."""
        value = self.column(columns)
        name, literal = value.sql, self.literal(value.kind) if value.kind in ORDERED else ""
        if value.kind == "bool":
            return self.pick((name, f"not {name}", f"{name} is not null"))
        if value.kind not in ORDERED:
            return f"{name} is not null"
        others = [c.sql for c in columns if c.kind == value.kind and c != value]
        if others and self.chance(0.3):
            return f"{name} {self.pick(('=', '<>', '<', '>=', '<=>'))} {self.pick(others)}"
        wide = (f"{name} > {literal}", f"{name} is not null", f"{name} <= {literal}", f"not {name} = {literal}",
                f"({name} <> {literal} or {name} is null)", f"coalesce({name} >= {literal}, true)")  # fmt: skip
        narrow = (f"{name} = {literal}", f"{name} is null", f"{name} in ({literal}, null)", f"{name} <=> {literal}",
                  f"{name} between {literal} and {self.literal(value.kind)}")  # fmt: skip
        return self.pick(wide if self.chance(0.75) else narrow)

    def condition(self, columns: Columns) -> str:
        first = self.comparison(columns)
        if self.chance(0.7):
            return first
        return f"({first} {self.pick(('and', 'or', 'or'))} {self.comparison(columns)})"

    def summand(self, columns: Columns) -> Value | None:
        """A value whose sums are exact."""
        numbers = self.of_kind(columns, NUMBERS)
        if not numbers:
            return None
        value = self.pick(numbers)
        if self.chance(0.2):
            self.use("CASE in aggregate")
            return Value(f"case when {self.comparison(columns)} then {value.sql} else 0 end", value.kind)
        ints = self.of_kind(columns, frozenset({"int"}))
        if value.kind == "int" and self.chance(0.15):
            return Value(f"{value.sql} * {self.pick(ints).sql}", "int")
        return value

    def named(self, values: list[Value]) -> tuple[str, tuple[Value, ...]]:
        """A SELECT list with a fresh name for each value, and those names."""
        names = tuple(Value(self.fresh("c"), value.kind) for value in values)
        return ", ".join(f"{v.sql} as {n.sql}" for v, n in zip(values, names, strict=True)), names
