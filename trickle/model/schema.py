"""Columns and their types, written as Spark SQL types."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """One column; `type` is a Spark SQL type in lower case, such as `bigint` or `decimal(12,2)`."""

    name: str
    type: str
    nullable: bool = True


@dataclass(frozen=True, slots=True)
class TableSchema:
    """The columns of a relation in order, and its key where one is known."""

    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        names = [column.name.lower() for column in self.columns]
        if len(set(names)) != len(names):
            raise ValueError(f"column names must differ by more than case: {', '.join(sorted(names))}")
        missing = set(self.key) - {column.name for column in self.columns}
        if missing:
            raise ValueError(f"key columns are not in the table: {', '.join(sorted(missing))}")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


def _fresh(name: str, taken: Iterable[str]) -> str:
    used = {other.lower() for other in taken}
    while name in used:
        name += "_"
    return name


def weight_column(taken: Iterable[str]) -> str:
    """The name of the weight column beside columns of these names: `__w`, lengthened until it is free."""
    return _fresh("__w", taken)


def epoch_column(taken: Iterable[str]) -> str:
    """The name of the epoch column beside columns of these names: `__epoch`, lengthened until it is free."""
    return _fresh("__epoch", taken)
