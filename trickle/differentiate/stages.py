"""What is computed before a statement: changes joined with stored rows that it needs several times, and recursions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from trickle.model.names import RelationName, StageName
from trickle.query.operators import Recursive, Relation, Scan, Version, names
from trickle.query.sharing import Numbers
from trickle.query.tree import rebuild, scans, walk


@dataclass(frozen=True, slots=True)
class Staged:
    """A relation that reads the results of stages, which come in the order they are computed."""

    stages: tuple[tuple[StageName, Relation], ...]
    relation: Relation


def staged(relation: Relation, table: RelationName, first: int = 1) -> Staged:
    """The same rows; recursions, and subtrees over changes and states that occur several times, become stages."""
    numbers = Numbers()
    uses = _uses(relation, numbers)
    done: dict[int, Relation] = {}
    stages: list[tuple[StageName, Relation]] = []

    def visit(node: Relation) -> Relation:
        number = numbers.of(node)
        if number not in done:
            inputs = tuple(visit(i) for i in node.inputs)
            same = all(new is old for new, old in zip(inputs, node.inputs, strict=True))
            done[number] = node if same else rebuild(node, inputs)
            if isinstance(node, Recursive) or (uses[number] > 1 and _costly(done[number])):
                name = StageName(table, first + len(stages))
                stages.append((name, done[number]))
                done[number] = Scan(name, names(node.columns), node.columns, Version.DELTA)
        return done[number]

    whole = visit(relation)
    return Staged(tuple(stages), whole)


def _uses(relation: Relation, numbers: Numbers) -> Counter[int]:
    """How many operators read each subtree, equal subtrees taken together."""
    uses: Counter[int] = Counter()
    seen: set[int] = set()
    for node in walk(relation):
        number = numbers.of(node)
        if number not in seen:
            seen.add(number)
            uses.update(numbers.of(i) for i in node.inputs)
    return uses


def _costly(node: Relation) -> bool:
    """Whether a subtree reads changes as well as stored rows, so that computing it again reads those again."""
    versions = {version for _, version in scans(node)}
    return Version.DELTA in versions and len(versions) > 1
