"""The dice of the grammar: one seeded generator, fresh names, a budget, and the constructs used so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import TypeVar

from tests.properties.grammar.constructs import CONSTRUCTS, LEFT_OUT, Engine

T = TypeVar("T")

NUMBERS = frozenset({"int", "decimal", "double"})
"""Kinds of value whose sums are exact in any order."""
RATIOS = frozenset({"ratio", "mean"})
"""Quotients, of doubles and of decimals: they compare and group, but are not added up, which would round by order."""
ORDERED = NUMBERS | RATIOS | {"string", "date", "bool"}
"""Kinds that compare and group."""

KINDS = {
    "int": "int",
    "smallint": "int",
    "bigint": "int",
    "decimal(6,2)": "decimal",
    "double": "double",
    "string": "string",
    "boolean": "bool",
    "date": "date",
}
"""The kind of each stored type."""


_FUEL = {Engine.DUCKDB: (1, 2, 4, 7), Engine.SPARK: (0, 1, 2, 4)}
"""How many joins and subqueries a query may have; fewer where each statement takes its time."""


@dataclass(frozen=True)
class Value:
    """An expression and the kind of its value."""

    sql: str
    kind: str


@dataclass(frozen=True)
class Select:
    """A query's text and its columns: names as values."""

    sql: str
    columns: tuple[Value, ...]


Columns = Sequence[Value]


class Draw:
    """Draws one query; every name it gives is new."""

    def __init__(self, seed: int, engine: Engine) -> None:
        self.random = Random(seed)
        self.left_out = LEFT_OUT[engine]
        self.used: set[str] = set()
        self.numbers = count(1)
        self.fuel = self.random.choice(_FUEL[engine])

    def query(self, depth: int) -> Select:
        """Any query of at most this depth; the last class of the grammar draws it."""
        raise NotImplementedError

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, options: Sequence[T]) -> T:
        return self.random.choice(options)

    def fresh(self, stem: str) -> str:
        return f"{stem}{next(self.numbers)}"

    def spend(self) -> bool:
        """Whether the budget allows one more part."""
        self.fuel -= 1
        return self.fuel >= 0

    def use(self, *constructs: str) -> None:
        unknown = set(constructs) - CONSTRUCTS
        if unknown:
            raise ValueError(f"the grammar does not list {', '.join(unknown)}")
        self.used.update(constructs)

    def one_of(self, forms: dict[str, T]) -> T:
        """One of the forms this engine can run; it counts as used."""
        construct = self.pick([c for c in forms if c not in self.left_out])
        self.use(construct)
        return forms[construct]

    def of_kind(self, columns: Columns, kinds: frozenset[str]) -> list[Value]:
        return [c for c in columns if c.kind in kinds]
