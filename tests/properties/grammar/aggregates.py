"""Aggregate functions, grouping and HAVING."""

from __future__ import annotations

from collections.abc import Callable

from tests.properties.grammar.draw import NUMBERS, ORDERED, Columns, Select, Value
from tests.properties.grammar.sources import Sources

_INT = frozenset({"int"})
_MEAN = {"int": "ratio", "double": "ratio", "decimal": "mean"}


class Aggregates(Sources):
    """SELECTs that group."""

    def aggregate(self, columns: Columns) -> Value:
        """One aggregate of what is in sight, maybe with a FILTER."""
        forms = (self._counts, self._sums, self._sums, self._extremes, self._extremes, self._rarer)
        value = self.pick(forms)(columns)
        if self.chance(0.15):
            self.use("FILTER")
            return Value(f"{value.sql} filter (where {self.comparison(columns)})", value.kind)
        return value

    def _counts(self, columns: Columns) -> Value:
        value = self.pick(self.of_kind(columns, ORDERED) or columns)
        return self.one_of({
            "count(*)": Value("count(*)", "int"),
            "count": Value(f"count({value.sql})", "int"),
            "count distinct": Value(f"count(distinct {value.sql})", "int"),
            "count_if": Value(f"count_if({self.comparison(columns)})", "int"),
        })  # fmt: skip

    def _sums(self, columns: Columns) -> Value:
        value = self.summand(columns)
        if value is None:
            return self._counts(columns)
        name, kind = value.sql, value.kind
        return self.one_of({
            "sum": Value(f"sum({name})", kind),
            "avg": Value(f"avg({name})", _MEAN[kind]),
            "sum distinct": Value(f"sum(distinct {name})", kind),
            "avg distinct": Value(f"avg(distinct {name})", _MEAN[kind]),
        })  # fmt: skip

    def _extremes(self, columns: Columns) -> Value:
        values = self.of_kind(columns, ORDERED)
        if not values:
            return self._counts(columns)
        value, other = self.pick(values), self.pick(values)
        names = ("min", "max", "min", "max", "first", "last", "any_value")
        forms = {name: Value(f"{name}({value.sql})", value.kind) for name in names}
        by = {name: Value(f"{name}({value.sql}, {other.sql})", value.kind) for name in ("max_by", "min_by")}
        return self.one_of({**forms, **by} if self.chance(0.4) else {n: forms[n] for n in ("min", "max")})

    def _rarer(self, columns: Columns) -> Value:
        makers: list[Callable[[Columns], Value]] = [self._spreads, self._bits, self._truths, self._lists]
        return self.pick(makers)(columns)

    def _spreads(self, columns: Columns) -> Value:
        """Variance and kin of integers: of wider types they round by order."""
        values = self.of_kind(columns, _INT)
        if not values:
            return self._counts(columns)
        name = f"cast({self.pick(values).sql} as int)"
        functions = ("var_pop", "var_samp", "stddev_pop", "stddev_samp")
        forms = {function: Value(f"{function}({name})", "ratio") for function in functions}
        forms["percentile"] = Value(f"percentile({name}, 0.5)", "ratio")
        return self.one_of(forms)

    def _bits(self, columns: Columns) -> Value:
        values = self.of_kind(columns, _INT)
        if not values:
            return self._counts(columns)
        name = self.pick(values).sql
        return self.one_of({f: Value(f"{f}({name})", "int") for f in ("bit_and", "bit_or", "bit_xor")})

    def _truths(self, columns: Columns) -> Value:
        condition = self.comparison(columns)
        return self.one_of({f: Value(f"{f}({condition})", "bool") for f in ("bool_and", "bool_or")})

    def _lists(self, columns: Columns) -> Value:
        value = self.pick(self.of_kind(columns, ORDERED) or columns)
        texts = self.of_kind(columns, frozenset({"string"}))
        forms = {
            "collect_list": Value(f"collect_list({value.sql})", "list"),
            "collect_set": Value(f"collect_set({value.sql})", "list"),
            "approx_count_distinct": Value(f"approx_count_distinct({value.sql})", "int"),
            "mode": Value(f"mode({value.sql})", value.kind),
        }
        if texts:
            text = self.pick(texts).sql
            forms["listagg"] = Value(f"listagg({text}, ',') within group (order by {text})", "string")
        return self.one_of(forms)

    def measure(self, columns: Columns) -> Value:
        """An aggregate, or an expression over several."""
        value = self.aggregate(columns)
        if not self.chance(0.25):
            return value
        self.use("expression over aggregates")
        if value.kind in NUMBERS:
            other = self.aggregate(columns)
            forms = [Value(f"coalesce({value.sql}, 0) + 1", value.kind)]
            if other.kind == value.kind:
                forms.append(Value(f"{value.sql} - {other.sql}", value.kind))
            return self.pick(forms)
        return Value(f"case when count(*) > 1 then {value.sql} end", value.kind)

    # -- GROUP BY -------------------------------------------------------------------------------------------

    def having(self, depth: int, columns: Columns, keys: list[Value]) -> str:
        if not self.chance(0.25):
            return ""
        self.use("HAVING")
        if self.chance(0.35) and self.spend():
            self.use("subquery in HAVING")
            value = self.scalar_subquery(depth, keys)
            if value.kind == "int":
                return f" having count(*) {self.pick(('>=', '<', '<>'))} {value.sql}"
            peer = [k.sql for k in keys if k.kind == value.kind] or [self.literal(value.kind)]
            return f" having {self.pick(peer)} <= {value.sql} or count(*) > 1"
        aggregate = self.aggregate(columns)
        test = f"count(*) {self.pick(('> 1', '< 3', '<> 2'))}"
        if aggregate.kind in NUMBERS and self.chance(0.5):
            test = f"{aggregate.sql} {self.pick(('>', '<='))} {self.literal(aggregate.kind)}"
        return f" having {test}" if self.chance(0.7) else f" having {test} or {aggregate.sql} is null"

    def grouped(self, depth: int) -> Select:
        text, columns = self.joined(depth)
        where = self.where(depth, columns)
        if self.chance(0.18) and len(self.of_kind(columns, ORDERED)) > 1:
            return self.grouping_sets(text + where, columns)
        keys = list(dict.fromkeys(self.scalar(columns) for _ in range(self.pick((0, 1, 1, 2)))))
        keys = [k for k in keys if k.kind in ORDERED]
        self.use("GROUP BY" if keys else "global aggregate")
        values = [self.measure(columns) for _ in range(self.pick((1, 2, 3)))]
        if not any(v.kind in ORDERED for v in keys + values):
            values.append(Value("count(*)", "int"))
        listed, names = self.named(keys + values)
        by = f" group by {self._positions_or_text(keys)}" if keys else ""
        plain = [k for k in keys if k in columns]
        return Select(f"select {listed} from {text}{where}{by}{self.having(depth, columns, plain)}", names)

    def _positions_or_text(self, keys: list[Value]) -> str:
        if self.chance(0.5):
            return ", ".join(str(i + 1) for i in range(len(keys)))
        return ", ".join(k.sql for k in keys)

    def grouping_sets(self, text: str, columns: Columns) -> Select:
        known = list(dict.fromkeys(self.of_kind(columns, ORDERED)))
        keys = self.random.sample(known, 2)
        one, two = (k.sql for k in keys)
        by = self.one_of({
            "GROUPING SETS": self.pick((f"grouping sets (({one}, {two}), ({one}), ())",
                                        f"grouping sets (({one}), ({two}))")),
            "CUBE": f"cube ({one}, {two})",
            "ROLLUP": f"rollup ({one}, {two})",
        })  # fmt: skip
        values = [self.measure(columns) for _ in range(self.pick((1, 2)))]
        if self.chance(0.5):
            self.use("grouping()")
            values.append(Value(f"grouping({one})", "int"))
        listed, names = self.named(keys + values)
        having = " having count(*) > 1" if self.chance(0.2) else ""
        return Select(f"select {listed} from {text} group by {by}{having}", names)
