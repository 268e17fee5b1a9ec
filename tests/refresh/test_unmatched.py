"""Float columns agree within tolerance; every other value exactly."""

from __future__ import annotations

from trickle.refresh.verify import unmatched


def test_rows_that_differ_by_an_ulp_in_a_float_match() -> None:
    assert unmatched([("EU", 0.1 + 0.2, 1), ("EU", 0.3, -1)], [1]) == []


def test_rows_that_differ_elsewhere_do_not_match() -> None:
    rows = [("EU", 0.3, 1), ("US", 0.3, -1)]
    assert sorted(unmatched(rows, [1]), key=str) == sorted(rows, key=str)


def test_multiplicities_are_matched_too() -> None:
    assert unmatched([("EU", 0.3, 3), ("EU", 0.1 + 0.2, -2)], [1]) == [("EU", 0.3, 1)]
