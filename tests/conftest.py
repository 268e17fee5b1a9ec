"""Real PostgreSQL servers for tests: started once a session, with a fresh database for each test."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import psycopg2
import pytest

from trickle.capture.embedded import EmbeddedServer

# a test's JVM lives too short for its second compiler to pay
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1")

# fsync matters when the machine loses power, not when a server is killed
SETTINGS = {"fsync": "off", "max_prepared_transactions": "10", "max_connections": "60", "shared_buffers": "32MB"}
PROGRAMS = {"18": None, "15": Path("/usr/lib/postgresql/15/bin")}
_numbers = itertools.count(1)


class Server(EmbeddedServer):
    """A PostgreSQL server that a test may also crash."""

    @property
    def dsn(self) -> str:
        return self.url()

    def stop_immediately(self) -> None:
        self.stop("immediate")

    @contextmanager
    def fresh_database(self) -> Iterator[str]:
        """The URL of a new database, dropped afterwards."""
        name = f"test_{next(_numbers)}"
        self._administer(f"create database {name}")
        yield self.url(name)
        self._administer(f"drop database {name} with (force)")

    def _administer(self, statement: str) -> None:
        with closing(psycopg2.connect(self.url())) as session, session.cursor() as cursor:
            session.autocommit = True
            cursor.execute(statement)


def new_server(directory: Path, version: str) -> Server:
    programs = PROGRAMS[version]
    if programs is not None and not programs.exists():
        pytest.skip(f"PostgreSQL {version} is not installed")
    server = Server(directory, programs, SETTINGS)
    server.start()
    return server


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Server]]:
    """Servers by version, each started when a test first asks for it."""
    started: dict[str, Server] = {}

    def server(version: str) -> Server:
        if version not in started:
            started[version] = new_server(tmp_path_factory.mktemp("postgres"), version)
        return started[version]

    yield server
    for one in started.values():
        one.remove()


@pytest.fixture
def postgres(servers: Callable[[str], Server]) -> Server:
    """The newest PostgreSQL, shared by all tests; nobody stops it."""
    return servers("18")


@pytest.fixture
def database(postgres: Server) -> Iterator[str]:
    """The URL of a fresh database."""
    with postgres.fresh_database() as url:
        yield url


@pytest.fixture(scope="session")
def new_database(servers: Callable[[str], Server]) -> Iterator[Callable[[], str]]:
    """Makes fresh databases, for tests that need one an example."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(servers("18").fresh_database())


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """A server for one test alone, which may crash it."""
    server = new_server(tmp_path / "postgres", "18")
    yield server
    server.remove()
