"""Everything that reads the clock is noticed, and becomes the run's moment."""

from __future__ import annotations

from datetime import datetime

import pytest
from query_tables import read, refusal_of

from trickle.query.canonical import canonical_sql

MOMENT = datetime(2024, 2, 29, 13, 14, 15, 678901)

SPELLINGS = [
    ("now()", "CAST('2024-02-29 13:14:15.678901 UTC' AS TIMESTAMP)"),
    ("current_timestamp", "CAST('2024-02-29 13:14:15.678901 UTC' AS TIMESTAMP)"),
    ("current_timestamp()", "CAST('2024-02-29 13:14:15.678901 UTC' AS TIMESTAMP)"),
    ("localtimestamp()", "CAST('2024-02-29 13:14:15.678901' AS TIMESTAMP_NTZ)"),
    ("current_date", "CAST('2024-02-29' AS DATE)"),
    ("current_date()", "CAST('2024-02-29' AS DATE)"),
    ("curdate()", "CAST('2024-02-29' AS DATE)"),
    ("unix_timestamp()", "CAST(1709212455 AS BIGINT)"),
    ("to_unix_timestamp()", "CAST(1709212455 AS BIGINT)"),
    ("date 'today'", "CAST('2024-02-29' AS DATE)"),
    ("cast('Tomorrow' as date)", "CAST('2024-03-01' AS DATE)"),
    ("timestamp 'yesterday'", "CAST('2024-02-28' AS TIMESTAMP)"),
    ("timestamp 'now'", "CAST('2024-02-29 13:14:15.678901' AS TIMESTAMP)"),
    ("to_date('today')", "TO_DATE('2024-02-29')"),
    ("timestamp '09:30'", "CAST('2024-02-29 09:30' AS TIMESTAMP)"),
]
LEFT_TO_SPARK = ["current_timezone()", "current_time()", "localtime()", "since > 'today'", "date 'today CET'"]


@pytest.mark.parametrize(("sql", "expected"), SPELLINGS)
def test_clock_is_the_moment_of_the_run(sql: str, expected: str) -> None:
    query = read(f"select {sql} as x from shop.customers")
    assert canonical_sql(query, MOMENT).split("\n")[1].strip() == f"{expected} AS `x`"


@pytest.mark.parametrize("sql", [*(sql for sql, _ in SPELLINGS), *LEFT_TO_SPARK])
def test_clock_has_no_delta(sql: str) -> None:
    assert refusal_of(f"select {sql} as x from shop.customers").volatile


@pytest.mark.parametrize("sql", ["region like 'today'", "'today' || region", "unix_timestamp(since)", "'now'"])
def test_words_are_no_clock_where_text_is_meant(sql: str) -> None:
    query = read(f"select {sql} as x from shop.customers")
    assert canonical_sql(query, MOMENT) == canonical_sql(query)
