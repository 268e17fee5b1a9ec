"""Every capture test runs on the oldest and the newest PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.capture.lake import Lake
from tests.capture.writers import Writers
from tests.conftest import Server


@pytest.fixture(params=["18", "15"])
def postgres(request: pytest.FixtureRequest, servers: Callable[[str], Server]) -> Server:
    return servers(request.param)


@pytest.fixture
def writers(database: str) -> Iterator[Writers]:
    with Writers(database) as sessions:
        yield sessions


@pytest.fixture
def lake(database: str) -> Lake:
    return Lake(database)
