"""Suggest what a user meant: the nearest known word, phrased for a hint."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word most like `word`, ignoring case, or an empty string when none is close."""
    by_folded = {other.casefold(): other for other in sorted(known)}
    close = difflib.get_close_matches(word.casefold(), by_folded, n=1, cutoff=0.6)
    return by_folded[close[0]] if close else ""


def did_you_mean(word: str, known: Iterable[str], what: str = "known") -> str:
    """A hint: `did you mean "orders"?`, else the known words when they are few, else nothing."""
    words = sorted(known)
    close = nearest(word, words)
    if close:
        return f'did you mean "{close}"?'
    return f"{what}: {', '.join(words)}" if 0 < len(words) <= 12 else ""
