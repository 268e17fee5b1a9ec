"""Mutants that are the same law in other words, each with the reason; one that a test kills must leave this list."""

from __future__ import annotations

ARGUED: dict[tuple[str, str, str, str], str] = {}
