"""What the server's catalog says of a source table: columns by number, key, partitions; or why it is refused.

Only plain queries on catalog tables are used, because they read in the transaction's snapshot, where functions such
as `pg_partition_tree` would read the newest state.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from psycopg2 import sql
from psycopg2.extensions import connection as PgConnection  # noqa: N812 - a class, whatever the library calls it

from trickle.capture.session import fetch
from trickle.capture.types import PgType, Storage, storage
from trickle.errors import ProjectError
from trickle.model.schema import Column, TableSchema
from trickle.model.stream_table import CdcMode, SourceTable

_FIND = """
SELECT c.oid, c.relkind::text, c.relpersistence::text, c.relispartition,
       EXISTS (SELECT FROM pg_inherits i WHERE c.oid IN (i.inhrelid, i.inhparent)),
       EXISTS (SELECT FROM pg_subscription_rel s WHERE s.srrelid = c.oid)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relname = %s
"""

_COLUMNS = """
WITH RECURSIVE resolved(attnum, typid, typmod) AS (
    SELECT attnum, atttypid, atttypmod FROM pg_attribute WHERE attrelid = %(relid)s AND attnum > 0 AND NOT attisdropped
    UNION ALL
    SELECT r.attnum, t.typbasetype, t.typtypmod FROM resolved r JOIN pg_type t ON t.oid = r.typid WHERE t.typtype = 'd'
)
SELECT a.attnum, a.attname, a.attgenerated::text,
       a.attnotnull AND NOT EXISTS (
           SELECT FROM pg_constraint k
           WHERE k.conrelid = a.attrelid AND k.contype = 'n' AND NOT k.convalidated AND k.conkey = ARRAY[a.attnum]
       ),
       format_type(t.oid, r.typmod), r.typmod,
       CASE WHEN t.typnamespace = 'pg_catalog'::regnamespace THEN t.typname ELSE '' END, t.typtype::text,
       CASE WHEN e.typnamespace = 'pg_catalog'::regnamespace THEN e.typname ELSE '' END, e.typtype::text
FROM pg_attribute a
JOIN resolved r USING (attnum)
JOIN pg_type t ON t.oid = r.typid AND t.typtype <> 'd'
LEFT JOIN pg_type e ON e.oid = t.typelem AND e.typarray = t.oid
WHERE a.attrelid = %(relid)s
ORDER BY a.attnum
"""

_KEY = """
SELECT a.attname
FROM pg_index i
CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k(attnum, place)
JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
WHERE i.indrelid = %s AND i.indisprimary AND i.indisvalid
ORDER BY k.place
"""

_MEMBERS = """
WITH RECURSIVE member(oid) AS (
    SELECT %s::oid
    UNION ALL
    SELECT i.inhrelid FROM pg_inherits i JOIN member m ON i.inhparent = m.oid
)
SELECT c.oid, n.nspname, c.relname, array_agg(a.attname ORDER BY a.attnum), c.relpersistence::text, c.relkind::text,
       EXISTS (SELECT FROM pg_subscription_rel s WHERE s.srrelid = c.oid)
FROM member m JOIN pg_class c ON c.oid = m.oid JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
GROUP BY c.oid, n.nspname, c.relname, c.relpersistence, c.relkind
ORDER BY c.oid
"""

_NAMES = """
SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'trickle')
"""

_KINDS = {
    "v": "a view",
    "m": "a materialized view",
    "f": "a foreign table",
    "S": "a sequence",
    "i": "an index",
    "I": "an index",
    "c": "a composite type",
}


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """One column: `number` never changes or returns, whatever happens to its name; `base_type` is for DDL."""

    number: int
    name: str
    base_type: str
    not_null: bool
    labelled: bool
    storage: Storage

    @property
    def buffer_column(self) -> sql.Identifier:
        """Its column in the buffer."""
        return sql.Identifier(f"c{self.number}")


@dataclass(frozen=True, slots=True)
class Member:
    """The table itself or one of its partitions, with its column names in its own order."""

    relid: int
    schema: str
    table: str
    columns: tuple[str, ...]

    @property
    def identifier(self) -> sql.Identifier:
        return sql.Identifier(self.schema, self.table)


@dataclass(frozen=True, slots=True)
class Description:
    """A table that can be captured."""

    relid: int
    columns: tuple[SourceColumn, ...]
    key: tuple[str, ...]
    members: tuple[Member, ...]

    @property
    def root(self) -> Member:
        return next(member for member in self.members if member.relid == self.relid)

    @property
    def schema(self) -> TableSchema:
        columns = tuple(Column(c.name, c.storage.type, not c.not_null) for c in self.columns)
        return TableSchema(columns, self.key)


def describe(session: PgConnection, source: SourceTable) -> Description:
    """Read a table's description in the session's snapshot; raises ProjectError where it cannot be captured."""
    if source.cdc_mode is CdcMode.WAL:
        raise _refused(source, "cdc_mode wal is not available yet", "use cdc_mode auto or trigger")
    relid = _find(session, source)
    members = fetch(session, _MEMBERS, (relid,))
    for member in members:
        _check_member(source, member)
    key = tuple(name for (name,) in fetch(session, _KEY, (relid,)))
    columns = tuple(_column(source, row) for row in fetch(session, _COLUMNS, {"relid": relid}))
    _check_names(source, columns)
    return Description(relid, columns, key, tuple(Member(m[0], m[1], m[2], tuple(m[3])) for m in members))


def _refused(source: SourceTable, why: str, hint: str = "") -> ProjectError:
    return ProjectError(f'source table "{source.name}": {why}', hint=hint, location=source.location)


def _find(session: PgConnection, source: SourceTable) -> int:
    rows = fetch(session, _FIND, (source.pg_schema, source.pg_table))
    if not rows:
        near = _nearest(source, fetch(session, _NAMES))
        where = f"{source.pg_schema}.{source.pg_table}"
        raise _refused(source, f"there is no table {where}", f"did you mean {near}?" if near else "")
    relid, kind, _, partition, inherits, _ = rows[0]
    if kind not in ("r", "p"):
        raise _refused(source, f"it is {_KINDS.get(kind, 'not a table')}", "capture the tables it reads instead")
    if partition:
        raise _refused(
            source, "it is a partition, and writes to its parent pass it by", "capture the partitioned table"
        )
    if inherits and kind == "r":
        raise _refused(source, "it takes part in table inheritance", "use declarative partitioning")
    return int(relid)


def _nearest(source: SourceTable, names: Iterable[tuple[Any, ...]]) -> str:
    known = {f"{schema}.{table}" for schema, table in names}
    close = difflib.get_close_matches(f"{source.pg_schema}.{source.pg_table}", sorted(known), n=1)
    return close[0] if close else ""


def _check_member(source: SourceTable, member: tuple[Any, ...]) -> None:
    _, schema, table, _, persistence, kind, subscribed = member
    if persistence != "p":
        raise _refused(source, f"{schema}.{table} is not a logged table: a crash empties it without a trace")
    if kind == "f":
        raise _refused(source, f"its partition {schema}.{table} is a foreign table")
    if subscribed:
        raise _refused(source, f"{schema}.{table} is filled by a subscription, which fires no statement triggers")


def _column(source: SourceTable, row: tuple[Any, ...]) -> SourceColumn:
    number, name, generated, not_null, printed, typmod, type_name, kind, element, element_kind = row
    if generated == "v":
        raise _refused(source, f'column "{name}" is a virtual generated column', "make it STORED")
    inner = PgType(element, element_kind) if element_kind else None
    stored = storage(PgType(type_name, kind, typmod, inner, printed))
    if isinstance(stored, str):
        raise _refused(source, f'column "{name}": {stored}', "drop the column, change its type, or leave the table out")
    return SourceColumn(number, name, printed, not_null, "e" in (kind, element_kind), stored)


def _check_names(source: SourceTable, columns: tuple[SourceColumn, ...]) -> None:
    if not columns:
        raise _refused(source, "it has no columns")
    seen: dict[str, str] = {}
    for column in columns:
        other = seen.setdefault(column.name.lower(), column.name)
        if other != column.name:
            raise _refused(source, f'columns "{other}" and "{column.name}" differ only by case', "rename one of them")
