"""Equal subtrees have equal numbers, found without comparing whole trees again and again."""

from __future__ import annotations

from dataclasses import fields

from trickle.query.operators import Relation


class Numbers:
    """Numbers for the relations of one tree; equal relations share one."""

    def __init__(self) -> None:
        self._by_identity: dict[int, int] = {}
        self._by_shape: dict[tuple[object, ...], int] = {}
        self._kept: list[Relation] = []

    def of(self, relation: Relation) -> int:
        known = self._by_identity.get(id(relation))
        if known is None:
            self._kept.append(relation)
            known = self._by_shape.setdefault(self._shape(relation), len(self._by_shape))
            self._by_identity[id(relation)] = known
        return known

    def _shape(self, relation: Relation) -> tuple[object, ...]:
        """What an operator is, with its inputs by number."""
        inputs = tuple(self.of(i) for i in relation.inputs)
        own = [getattr(relation, f.name) for f in fields(relation)]
        below = {id(i) for i in relation.inputs}
        local = [value for value in own if id(value) not in below and value is not relation.inputs]
        return type(relation), inputs, *local
