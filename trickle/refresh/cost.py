"""What a refresh would read, FULL and DIFFERENTIAL: values of stored rows, as far as sizes and plans tell.

Spark reads a relation again for each place of a statement that names it, so places are counted. A scan that is bounded
by the keys of changes reads a part of its files: a fixed share, since nobody knows beforehand how the keys lie.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from trickle.differentiate.narrow import narrow
from trickle.differentiate.plan import DeltaPlan
from trickle.differentiate.simplify import prune_plan
from trickle.differentiate.stages import staged
from trickle.model.names import Name, RelationName, ScanName
from trickle.query.operators import Relation, Scan, Version
from trickle.query.sharing import Numbers
from trickle.query.tree import walk

BOUNDED_SHARE = 0.4
_MOST_PLACES = 1_000_000


@dataclass(frozen=True, slots=True)
class Cost:
    """Values read by each mode."""

    full: float
    delta: float


def cost(plan: DeltaPlan, rows: Mapping[ScanName, int], unchanged: frozenset[Name]) -> Cost:
    """Compare a FULL refresh, which begins every state anew, with a DIFFERENTIAL one."""
    begun = sum(_read(update.baseline, rows) for update in plan.states)
    moved = sum(_read(part, rows) for part in _statements(prune_plan(plan, unchanged)))
    return Cost(_read(plan.tree, rows) + begun, moved)


def _statements(plan: DeltaPlan) -> Iterator[Relation]:
    for relation in (*(update.delta for update in plan.states), plan.delta):
        parts = staged(relation, plan.table)
        yield from (narrow(part) for _, part in parts.stages)
        yield narrow(parts.relation)


def _read(relation: Relation, rows: Mapping[ScanName, int]) -> float:
    total = 0.0
    for scan, places in _places(relation):
        if scan.version is not Version.DELTA and isinstance(scan.source, RelationName):
            share = 1.0 if scan.within is None else BOUNDED_SHARE
            total += share * places * rows.get(scan.source, 0) * len(scan.columns)
    return total


def _places(relation: Relation) -> Iterator[tuple[Scan, int]]:
    """Each scan, with how often the statement names it once every shared part is written out."""
    numbers = Numbers()
    order: list[Relation] = []
    waiting: Counter[int] = Counter()
    seen: set[int] = set()
    for node in walk(relation):
        if numbers.of(node) not in seen:
            seen.add(numbers.of(node))
            order.append(node)
            waiting.update(numbers.of(i) for i in node.inputs)
    by_number = {numbers.of(node): node for node in order}
    places: Counter[int] = Counter({numbers.of(relation): 1})
    ready = [numbers.of(relation)]
    while ready:
        number = ready.pop()
        node = by_number[number]
        if isinstance(node, Scan):
            yield node, places[number]
        for below in (numbers.of(i) for i in node.inputs):
            places[below] = min(places[below] + places[number], _MOST_PLACES)
            waiting[below] -= 1
            if not waiting[below]:
                ready.append(below)
