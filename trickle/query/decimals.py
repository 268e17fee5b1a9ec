"""Decimal result types, by Spark's rules with precision loss allowed (its default)."""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_PRECISION = 38
_MIN_SCALE = 6
_INTEGER_DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 20}


@dataclass(frozen=True, slots=True)
class Decimal:
    """A decimal type."""

    precision: int
    scale: int

    def __str__(self) -> str:
        return f"decimal({self.precision},{self.scale})"


def parse_decimal(type_: str) -> Decimal | None:
    """`decimal(12,2)` as a value; None for any other type."""
    match = re.fullmatch(r"decimal\((\d+),\s*(-?\d+)\)", type_)
    return Decimal(int(match.group(1)), int(match.group(2))) if match else None


def as_decimal(type_: str) -> Decimal | None:
    """The decimal that holds every value of an exact number type."""
    digits = _INTEGER_DIGITS.get(type_)
    return Decimal(digits, 0) if digits else parse_decimal(type_)


def _adjusted(precision: int, scale: int) -> Decimal:
    """Spark's adjustPrecisionScale: keep the integer digits, and at least six digits of the scale."""
    if precision <= MAX_PRECISION:
        return Decimal(precision, scale)
    digits = precision - scale
    return Decimal(MAX_PRECISION, max(MAX_PRECISION - digits, min(scale, _MIN_SCALE)))


def plus(a: Decimal, b: Decimal) -> Decimal:
    """The type of a + b and a - b."""
    scale = max(a.scale, b.scale)
    return _adjusted(max(a.precision - a.scale, b.precision - b.scale) + scale + 1, scale)


def times(a: Decimal, b: Decimal) -> Decimal:
    """The type of a * b."""
    return _adjusted(a.precision + b.precision + 1, a.scale + b.scale)


def divided(a: Decimal, b: Decimal) -> Decimal:
    """The type of a / b."""
    scale = max(_MIN_SCALE, a.scale + b.precision + 1)
    return _adjusted(a.precision - a.scale + b.scale + scale, scale)


def remainder(a: Decimal, b: Decimal) -> Decimal:
    """The type of a % b."""
    scale = max(a.scale, b.scale)
    return _adjusted(min(a.precision - a.scale, b.precision - b.scale) + scale, scale)


def wider(a: Decimal, b: Decimal) -> Decimal | None:
    """The type that holds both without loss, where there is one."""
    scale = max(a.scale, b.scale)
    precision = max(a.precision - a.scale, b.precision - b.scale) + scale
    return Decimal(precision, scale) if precision <= MAX_PRECISION else None


def summed(a: Decimal) -> Decimal:
    """The type of sum(a)."""
    return Decimal(min(MAX_PRECISION, a.precision + 10), a.scale)


def averaged(a: Decimal) -> Decimal:
    """The type of avg(a)."""
    return Decimal(min(MAX_PRECISION, a.precision + 4), min(MAX_PRECISION, a.scale + 4))


def rounded(a: Decimal, digits: int) -> Decimal:
    """The type of round(a, digits)."""
    whole_digits = a.precision - a.scale + 1
    if digits < 0:
        return Decimal(min(MAX_PRECISION, max(whole_digits, 1 - digits)), 0)
    scale = min(a.scale, digits)
    return Decimal(min(MAX_PRECISION, whole_digits + scale), scale)


def whole(a: Decimal) -> Decimal:
    """The type of ceil(a) and floor(a)."""
    return Decimal(min(MAX_PRECISION, a.precision - a.scale + (1 if a.scale else 0)), 0)
