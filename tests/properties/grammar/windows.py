"""Window functions, their frames, and QUALIFY."""

from __future__ import annotations

from tests.properties.grammar.aggregates import Aggregates
from tests.properties.grammar.draw import NUMBERS, ORDERED, Columns, Select, Value

_ROWS = (
    "rows between 1 preceding and current row", "rows between unbounded preceding and unbounded following",
    "rows between 1 following and 2 following", "rows between unbounded preceding and 1 preceding",
)  # fmt: skip
_RANGES = ("range between 1 preceding and 1 following", "range between unbounded preceding and 1 following")


class Windows(Aggregates):
    """SELECTs whose values look at other rows of a partition."""

    def ordered(self, columns: Columns) -> str:
        value = self.scalar(self.of_kind(columns, ORDERED))
        return f"{value.sql}{self.pick(('', ' desc', ' desc nulls last', ' nulls last'))}"

    def partition(self, columns: Columns) -> str:
        if self.chance(0.25):
            self.use("unpartitioned window")
            return ""
        keys = dict.fromkeys(self.scalar(self.of_kind(columns, ORDERED)).sql for _ in range(self.pick((1, 1, 2))))
        return f"partition by {', '.join(keys)} "

    def ranking(self, columns: Columns) -> Value:
        over = f"over ({self.partition(columns)}order by {self.ordered(columns)})"
        value = self.pick(self.of_kind(columns, ORDERED))
        name, kind = value.sql, value.kind
        forms = {f: Value(f"{f}() {over}", "int") for f in ("row_number", "rank", "dense_rank")}
        forms |= {f: Value(f"{f}() {over}", "ratio") for f in ("percent_rank", "cume_dist")}
        forms |= {
            "ntile": Value(f"ntile(2) {over}", "int"),
            "lag": Value(f"lag({name}, {self.pick((1, 2))}) {over}", kind),
            "lead": Value(f"lead({name}{f', 1, {self.literal(kind)}' if kind in NUMBERS else ''}) {over}", kind),
            "first_value": Value(f"first_value({name}) {self.pick(('', 'ignore nulls'))} {over}", kind),
            "last_value": Value(f"last_value({name}) {over}", kind),
            "nth_value": Value(f"nth_value({name}, 2) {over}", kind),
        }  # fmt: skip
        return self.one_of(forms)

    def framed(self, columns: Columns) -> str:
        """What follows OVER of an aggregate: the whole partition, a running one, or a frame."""
        partition = self.partition(columns)
        numbers = self.of_kind(columns, NUMBERS)
        choice = self.random.random()
        if choice < 0.3:
            return f"over ({partition.rstrip()})"
        if choice < 0.6:
            self.use("running aggregate")
            return f"over ({partition}order by {self.ordered(columns)})"
        if choice < 0.8 or not numbers:
            self.use("ROWS frame")
            return f"over ({partition}order by {self.ordered(columns)} {self.pick(_ROWS)})"
        self.use("RANGE frame")
        direction = self.pick(("", " desc"))
        return f"over ({partition}order by {self.pick(numbers).sql}{direction} {self.pick(_RANGES)})"

    def running(self, columns: Columns) -> Value:
        over = self.framed(columns)
        value = self.pick(self.of_kind(columns, ORDERED))
        forms = {
            "window count": Value(f"count({self.pick(('*', value.sql))}) {over}", "int"),
            "window min": Value(f"min({value.sql}) {over}", value.kind),
            "window max": Value(f"max({value.sql}) {over}", value.kind),
        }
        number = self.summand(columns)
        if number is not None:
            mean = "mean" if number.kind == "decimal" else "ratio"
            forms["window sum"] = Value(f"sum({number.sql}) {over}", number.kind)
            forms["window avg"] = Value(f"avg({number.sql}) {over}", mean)
        return self.one_of(forms)

    def window(self, columns: Columns) -> Value:
        value = self.pick((self.ranking, self.running))(columns)
        if not self.chance(0.25):
            return value
        self.use("window in expression")
        if value.kind in NUMBERS:
            peers = [c for c in columns if c.kind == value.kind]
            forms = [f"coalesce({value.sql}, 0)", *(f"{c.sql} - {value.sql}" for c in peers[:1])]
            return Value(self.pick(forms), value.kind)
        return Value(f"case when {value.sql} is null then 1 else 0 end", "int")

    def windowed(self, depth: int) -> Select:
        text, columns = self.joined(depth)
        values = [self.window(columns) for _ in range(self.pick((1, 1, 2, 3)))]
        if len(values) > 1:
            self.use("several PARTITION BY")
        plain = [self.scalar(columns) for _ in range(self.pick((0, 1, 2)))]
        listed, names = self.named(plain + values)
        return Select(f"select {listed} from {text}{self.where(depth, columns)}{self.qualify(columns)}", names)

    def qualify(self, columns: Columns) -> str:
        if not self.chance(0.3):
            return ""
        self.use("QUALIFY")
        return f" qualify row_number() over ({self.partition(columns)}order by {self.ordered(columns)}) <= 2"

    def window_over_aggregate(self, depth: int) -> Select:
        """A window over groups: ranked by their aggregates."""
        text, columns = self.joined(depth)
        self.use("window over aggregate", "GROUP BY")
        key = self.column(columns)
        first, second = self.aggregate(columns), self.aggregate(columns)
        order = first if first.kind in ORDERED else Value("count(*)", "int")
        ranked = Value(f"{self.pick(('rank', 'row_number', 'dense_rank'))}() over (order by {order.sql} desc)", "int")
        over = self.pick(("over ()", f"over (order by {key.sql})"))
        value = Value(f"sum({second.sql}) {over}", second.kind) if second.kind in NUMBERS else second
        listed, names = self.named([key, ranked, value])
        return Select(f"select {listed} from {text} group by {key.sql}", names)

    def named_window(self, depth: int) -> Select:
        text, columns = self.joined(depth)
        self.use("named window", "rank")
        window = f"{self.partition(columns)}order by {self.ordered(columns)}"
        value = self.pick(self.of_kind(columns, ORDERED))
        listed, names = self.named([Value("rank() over w", "int"), Value(f"max({value.sql}) over w", value.kind)])
        return Select(f"select {listed} from {text}{self.where(depth, columns)} window w as ({window})", names)
