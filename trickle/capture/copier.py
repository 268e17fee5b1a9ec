"""The session that copies tables: it holds their locks itself, and reads in the cut's snapshot.

Were the locks held by another session, a waiting TRUNCATE would queue between the two: it waits for the lock, the
copy waits behind it, and nothing would ever end.
"""

from __future__ import annotations

from collections.abc import Iterator

import adbc_driver_manager.dbapi
import pyarrow as pa
from psycopg2 import sql
from psycopg2.extensions import connection as PgConnection  # noqa: N812 - a class, whatever the library calls it

from trickle.capture.session import connect_arrow, run_arrow
from trickle.capture.stream import Stream
from trickle.errors import SourceError
from trickle.model.names import RelationName

LOCK_TIMEOUT = "10s"


class Copier:
    """A session that is opened when the first table has to be copied; `session` only serves to print statements."""

    def __init__(self, dsn: str, session: PgConnection) -> None:
        self._dsn = dsn
        self._session = session
        self._arrow: adbc_driver_manager.dbapi.Connection | None = None
        self._reading = False

    @property
    def begun(self) -> bool:
        """Whether a transaction is open."""
        return self._arrow is not None

    def begin(self) -> None:
        """Begin a transaction that has no snapshot yet."""
        self.close()
        self._arrow = connect_arrow(self._dsn, self._session)
        self._run(sql.SQL("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"))
        self._run(sql.SQL("SET LOCAL lock_timeout = {}").format(sql.Literal(LOCK_TIMEOUT)))

    def lock(self, name: RelationName, table: sql.Identifier) -> SourceError | None:
        """Keep DDL and TRUNCATE away from a table until the cut is closed, or say why that is not possible."""
        self._run(sql.SQL("SAVEPOINT locking"))
        try:
            self._run(sql.SQL("LOCK TABLE {} IN ACCESS SHARE MODE").format(table))
        except adbc_driver_manager.dbapi.Error as error:
            self._run(sql.SQL("ROLLBACK TO SAVEPOINT locking"))
            return SourceError(f'source table "{name}": it could not be locked for a copy', detail=str(error).strip())
        finally:
            self._run(sql.SQL("RELEASE SAVEPOINT locking"))
        return None

    def adopt(self, exported: str) -> None:
        """Read in the snapshot of the cut from now on."""
        self._run(sql.SQL("SET TRANSACTION SNAPSHOT {}").format(sql.Literal(exported)))

    def read(self, stream: Stream) -> pa.RecordBatchReader:
        """Stream one table; the next one can be read when this one is at its end."""
        return stream.reader(self._batches(stream))

    def close(self) -> None:
        """Release the locks."""
        if self._arrow is not None:
            self._arrow.close()
            self._arrow = None

    def _batches(self, stream: Stream) -> Iterator[pa.RecordBatch]:
        if self._arrow is None:
            raise SourceError(f"source table {stream.conversion.table}: its cut is closed")
        if self._reading:  # a second statement would silently end the first one's rows
            raise SourceError(f"source table {stream.conversion.table}: another copy is still being read")
        self._reading = True
        try:
            yield from stream.batches(self._arrow, self._session)
        finally:
            self._reading = False

    def _run(self, statement: sql.Composable) -> None:
        run_arrow(self._arrow, statement.as_string(self._session))
