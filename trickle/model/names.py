"""What relations are called."""

from __future__ import annotations

from dataclasses import dataclass

DEFAULT_SCHEMA = "main"


@dataclass(frozen=True, slots=True, order=True)
class RelationName:
    """A source table (`schema` is the source's name) or a stream table (`schema` is `main` unless configured)."""

    schema: str
    table: str

    def __post_init__(self) -> None:
        if not self.schema or not self.table:
            raise ValueError("a relation needs a schema and a table name")

    def __str__(self) -> str:
        return self.table if self.schema == DEFAULT_SCHEMA else f"{self.schema}.{self.table}"


@dataclass(frozen=True, slots=True, order=True)
class StateName:
    """The stored state of one operator of a stream table, kept in `_state`."""

    table: RelationName
    node: str

    def __str__(self) -> str:
        return f"{self.table}#{self.node}"


@dataclass(frozen=True, slots=True, order=True)
class StageName:
    """A part of a statement that is computed once, before the statement itself."""

    table: RelationName
    number: int

    def __str__(self) -> str:
        return f"{self.table}~{self.number}"


@dataclass(frozen=True, slots=True, order=True)
class LoopName:
    """What a recursive query reads of itself: the rows its last step found."""

    table: RelationName
    name: str

    def __str__(self) -> str:
        return f"{self.table}^{self.name}"


Name = RelationName | StateName
ScanName = Name | StageName | LoopName
