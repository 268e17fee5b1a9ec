"""One PostgreSQL database with tables captured by trigger: the `SourceDatabase` of the ports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager

from psycopg2.extensions import connection as PgConnection  # noqa: N812 - a class, whatever the library calls it

from trickle.capture import lock, registry, seal
from trickle.capture.catalog import describe
from trickle.capture.copier import Copier
from trickle.capture.cut import Sessions, count
from trickle.capture.install import ensure_captured, ensure_registry
from trickle.capture.opening import Opening, Request
from trickle.capture.patience import blockers, patiently
from trickle.capture.remove import forget_lake, forget_tables
from trickle.capture.server import position, refuse_standby
from trickle.capture.session import connect, run, source_errors
from trickle.capture.verdict import Judge
from trickle.errors import ProjectError, SourceError, TrickleError
from trickle.failpoint import failpoint
from trickle.model.epoch import Cut, Position
from trickle.model.names import RelationName
from trickle.model.ports import OpenCut
from trickle.model.schema import TableSchema
from trickle.model.stream_table import CdcMode, SourceTable


class PostgresDatabase:
    """The database behind a connection of the project; every call opens the sessions it needs and closes them.

    `patience` is how many seconds DDL is tried again on a busy table.
    """

    def __init__(self, connection: str, dsn: str, patience: float = 30.0) -> None:
        self._connection = connection
        self._dsn = dsn
        self._patience = patience

    def describe(self, tables: Sequence[SourceTable]) -> Mapping[RelationName, TableSchema]:
        """Columns and keys; raises ProjectError for the first table that cannot be captured."""
        schemas, problems = self.examine(tables)
        for problem in problems.values():
            raise problem
        return schemas

    def examine(
        self, tables: Sequence[SourceTable]
    ) -> tuple[Mapping[RelationName, TableSchema], Mapping[RelationName, ProjectError]]:
        """Like `describe`, but one table's problem does not hide the others."""
        _refuse_wal(tables)
        schemas: dict[RelationName, TableSchema] = {}
        problems: dict[RelationName, ProjectError] = {}
        with self._session() as session:
            run(session, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            for source in tables:
                try:
                    schemas[source.name] = describe(session, source).schema
                except ProjectError as error:
                    problems[source.name] = error
        return schemas, problems

    def hold(self, lake_id: str, holder: str) -> AbstractContextManager[None]:
        """Hold the lake for one run; raises LockHeldError naming the other holder."""
        return lock.hold(self._dsn, self._connection, lake_id, holder)

    def prepare(self, lake_id: str, tables: Sequence[SourceTable]) -> Mapping[RelationName, str]:
        """Install or repair the capture of each table in a transaction of its own."""
        _refuse_wal(tables)
        errors: dict[RelationName, str] = {}
        with self._session() as session:
            refuse_standby(session)
            session.rollback()
            self._patiently(session, None, lambda: ensure_registry(session, lake_id))
            for source in tables:
                try:
                    with source_errors(f'source table "{source.name}"'):
                        self._prepare(session, lake_id, source)
                except TrickleError as error:
                    session.rollback()
                    errors[source.name] = str(error)
                failpoint("capture.table_prepared")
        failpoint("capture.prepared")
        return errors

    def _prepare(self, session: PgConnection, lake_id: str, source: SourceTable) -> None:
        self._patiently(session, source, lambda: ensure_captured(session, lake_id, source))

    @contextmanager
    def cut(
        self,
        lake_id: str,
        tables: Sequence[SourceTable],
        since: Mapping[RelationName, Position],
        known_cuts: frozenset[str],
    ) -> Iterator[OpenCut]:
        """Open a new cut; what it saw is on the server's disk when this returns."""
        _refuse_wal(tables)
        wanted = {source.name for source in tables}
        request = Request(lake_id, tables, {n: p for n, p in since.items() if n in wanted}, known_cuts)
        with self._opening() as opening:
            with source_errors(f'connection "{self._connection}"'):
                self._require_registry(opening.sessions.writer)
                opened = opening.open(request)
            yield opened

    @contextmanager
    def reopen(
        self,
        lake_id: str,
        tables: Sequence[SourceTable],
        since: Mapping[RelationName, Position],
        position: Position,
    ) -> Iterator[OpenCut]:
        """Open a recorded cut again; raises SourceError when the server has moved on."""
        with self._opening() as opening:
            with source_errors(f'connection "{self._connection}"'):
                self._require_registry(opening.sessions.writer)
                opened = opening.reopen(Request(lake_id, tables, since), position)
            yield opened

    def sealed(self, lake_id: str, cut: Cut, connection: str) -> None:
        """Note that the lake holds this cut, and trim what no lake needs any more."""
        at = cut.positions.get(connection)
        if at is None:
            return
        with self._session() as session:
            if registry.exists(session):
                session.rollback()
                seal.seal(session, lake_id, cut, at)

    def pending(
        self, lake_id: str, tables: Sequence[SourceTable], since: Mapping[RelationName, Position]
    ) -> Mapping[RelationName, int | None]:
        """Change rows waiting for each source; None where it would have to be copied."""
        with self._session() as session:
            run(session, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            refuse_standby(session)
            judge = Judge(session, registry.read(session, lake_id), position(session))
            verdicts = {source.name: judge.verdict(source, since.get(source.name)) for source in tables}
            return {
                name: None
                if verdict.copy_reason or verdict.table is None or verdict.interval is None
                else count(session, verdict.table.relid, verdict.interval)[0]
                for name, verdict in verdicts.items()
            }

    def drop(self, lake_id: str, tables: Sequence[SourceTable] | None) -> None:
        """Remove what this lake installed for these tables, or everything it has when None."""
        with self._session() as session:
            if tables is None:
                self._patiently(session, None, lambda: forget_lake(session, lake_id))
            else:
                names = [source.name for source in tables]
                self._patiently(session, None, lambda: forget_tables(session, lake_id, names))

    def close(self) -> None:
        """Nothing stays open between calls."""

    @contextmanager
    def _session(self) -> Iterator[PgConnection]:
        with (
            closing(connect(self._dsn, self._connection)) as session,
            source_errors(f'connection "{self._connection}"'),
        ):
            yield session

    @contextmanager
    def _opening(self) -> Iterator[Opening]:
        with (
            closing(connect(self._dsn, self._connection, "trickle cut")) as reader,
            closing(connect(self._dsn, self._connection, "trickle cut registry")) as writer,
        ):
            with source_errors(f'connection "{self._connection}"'), writer:
                refuse_standby(writer)
            with closing(Copier(self._dsn, reader)) as copier:
                yield Opening(Sessions(self._dsn, reader, writer, copier))

    def _patiently(self, session: PgConnection, source: SourceTable | None, work: Callable[[], None]) -> None:
        schema, table = (source.pg_schema, source.pg_table) if source else ("", "")
        patiently(session, work, self._patience, lambda s: blockers(s, schema, table, registry.DDL_LOCK))

    def _require_registry(self, session: PgConnection) -> None:
        if not registry.exists(session):
            raise SourceError(f'connection "{self._connection}": nothing is captured in this database')
        session.rollback()


def _refuse_wal(tables: Sequence[SourceTable]) -> None:
    for source in tables:
        if source.cdc_mode is CdcMode.WAL:
            raise ProjectError(
                f'source table "{source.name}": cdc_mode wal is not available yet',
                hint="use cdc_mode auto or trigger",
                location=source.location,
            )
