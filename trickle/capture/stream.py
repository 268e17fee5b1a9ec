"""Rows out of PostgreSQL as a stream of Arrow batches: a whole table, or a part of its buffer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import adbc_driver_manager.dbapi
import pyarrow as pa
from psycopg2 import sql
from psycopg2.extensions import connection as PgConnection  # noqa: N812 - a class, whatever the library calls it

from trickle.capture import triggers
from trickle.capture.catalog import Description, SourceColumn
from trickle.capture.convert import Conversion
from trickle.capture.session import connect_arrow, source_errors
from trickle.capture.types import arrow_schema, change_schema


@dataclass(frozen=True, slots=True)
class Interval:
    """The transactions visible in `upto` and not in `since`, and the last TRUNCATE among them (0 for none)."""

    since: str
    upto: str
    truncated_at: int = 0

    @property
    def condition(self) -> sql.Composed:
        """Buffer rows of these transactions."""
        return sql.SQL(
            "pg_visible_in_snapshot(xid, {}::pg_snapshot) AND NOT pg_visible_in_snapshot(xid, {}::pg_snapshot)"
        ).format(sql.Literal(self.upto), sql.Literal(self.since))


@dataclass(frozen=True, slots=True)
class Stream:
    """A query and how its rows are converted."""

    query: sql.Composed
    conversion: Conversion

    @staticmethod
    def copy(table: Description) -> Stream:
        """Every row of the table."""
        references = [sql.Identifier(column.name) for column in table.columns]
        query = sql.SQL("SELECT {} FROM {}").format(_expressions(table.columns, references), table.root.identifier)
        return Stream(query, _conversion(table, arrow_schema(table.schema), 0))

    @staticmethod
    def changes(table: Description, interval: Interval) -> Stream:
        """The buffer's rows of an interval, preceded by their weight."""
        query = sql.SQL("SELECT w::int4, {} FROM {} WHERE w <> 0 AND seq > {} AND {}").format(
            _expressions(table.columns, [column.buffer_column for column in table.columns]),
            triggers.buffer(table.relid),
            sql.Literal(interval.truncated_at),
            interval.condition,
        )
        return Stream(query, _conversion(table, change_schema(table.schema), 1))

    def batches(self, arrow: adbc_driver_manager.dbapi.Connection, session: PgConnection) -> Iterator[pa.RecordBatch]:
        """Read from a connection that is at the right snapshot; `session` only serves to print the query."""
        with source_errors(f"source table {self.conversion.table}"), arrow.cursor() as cursor:
            cursor.execute(self.query.as_string(session))
            with cursor.fetch_record_batch() as reader:
                for batch in reader:
                    yield self.conversion.convert(batch)

    def reader(self, batches: Iterator[pa.RecordBatch]) -> pa.RecordBatchReader:
        """The batches with their schema."""
        return pa.RecordBatchReader.from_batches(self.conversion.schema, batches)


def read_changes(dsn: str, session: PgConnection, stream: Stream) -> pa.RecordBatchReader:
    """Read on a connection of its own; the interval picks the rows, so that any later snapshot will do."""

    def batches() -> Iterator[pa.RecordBatch]:
        with source_errors(f"source table {stream.conversion.table}"), connect_arrow(dsn, session) as arrow:
            yield from stream.batches(arrow, session)

    return stream.reader(batches())


def no_changes(table: Description) -> pa.RecordBatchReader:
    """A stream without rows."""
    return pa.RecordBatchReader.from_batches(change_schema(table.schema), iter(()))


def _conversion(table: Description, schema: pa.Schema, leading: int) -> Conversion:
    return Conversion(f"{table.root.schema}.{table.root.table}", table.columns, schema, leading)


def _expressions(columns: Sequence[SourceColumn], references: Sequence[sql.Identifier]) -> sql.Composed:
    """Values of the columns, then the guards of those that need one."""
    values = [c.storage.expression(reference) for c, reference in zip(columns, references, strict=True)]
    guards = [c.storage.guard(reference) for c, reference in zip(columns, references, strict=True)]
    return sql.SQL(", ").join([*values, *(guard for guard in guards if guard is not None)])
