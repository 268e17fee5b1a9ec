"""The project's PostgreSQL databases: opening them for a run, and looking at one by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from trickle.capture.database import PostgresDatabase
from trickle.capture.embedded import EmbeddedServer
from trickle.capture.statements import execute
from trickle.errors import ProjectError
from trickle.model.ports import SourceDatabase
from trickle.model.stream_table import Connection
from trickle.project.files import ProjectFiles

EMBEDDED_DIRECTORY = Path(".trickle") / "postgres"


@dataclass(frozen=True, slots=True)
class Database:
    """One connection of the target, started when it is embedded."""

    connection: Connection
    root: Path

    def start(self) -> None:
        """Start the embedded server if it is not running, and seed it when it is new."""
        if not self.connection.embedded:
            return
        created = self._server().start()
        if created and self.connection.seed:
            execute(self._server().url(), (self.root / self.connection.seed).read_text(encoding="utf-8"))

    def stop(self) -> None:
        """Stop the embedded server; its data stays."""
        if not self.connection.embedded:
            raise ProjectError(f'connection "{self.connection.name}" is not embedded: trickle does not stop it')
        self._server().stop()

    def url(self) -> str:
        """How to connect, starting the embedded server if need be."""
        if not self.connection.embedded:
            return self.connection.dsn
        self.start()
        return self._server().url()

    def execute(self, sql: str) -> tuple[Sequence[str], Sequence[Sequence[object]]] | None:
        """Run statements in one transaction; columns and rows of the last one, None when it yields none."""
        return execute(self.url(), sql)

    def open(self) -> SourceDatabase:
        """Open it for capture."""
        return PostgresDatabase(self.connection.name, self.url())

    def _server(self) -> EmbeddedServer:
        return EmbeddedServer(self.root / EMBEDDED_DIRECTORY)


def database(files: ProjectFiles, name: str | None) -> Database:
    """The named connection, or the only one."""
    if name is None and len(files.connections) == 1:
        name = next(iter(files.connections))
    if name is None or name not in files.connections:
        known = ", ".join(files.connections)
        raise ProjectError(f'connection "{name or ""}" does not exist', hint=f"choose one of: {known}")
    return Database(files.connections[name], files.root)


@contextmanager
def open_databases(files: ProjectFiles) -> Iterator[dict[str, SourceDatabase]]:
    """Every database that a source of the project lives in."""
    used = sorted({source.connection for source in files.sources})
    opened: dict[str, SourceDatabase] = {}
    try:
        for name in used:
            opened[name] = Database(files.connections[name], files.root).open()
        yield opened
    finally:
        for open_database in opened.values():
            open_database.close()
