"""The objects that capture one table: a buffer, a function for each member, and four statement triggers on each.

The function names columns by their place in the transition table, never by name, so renaming a column cannot put a
value into the wrong buffer column. It runs with its owner's rights, so that any role can write the table.

A capture failure never fails the writer's statement: the handler leaves a gap marker in the writer's transaction and
the source is copied again. When even the marker cannot be written, one of two things is true. The table `trickle.gaps`
was dropped, altered or locked away from its owner: the next cut sees that by its witness and copies again, so a warning
is enough. Or the server lacks memory, disk or locks: nothing could record the loss, and only then the writer's
statement fails, because a change lost in silence is worse.
"""

from __future__ import annotations

from psycopg2 import sql
from psycopg2.extensions import connection as PgConnection  # noqa: N812 - a class, whatever the library calls it

from trickle.capture.catalog import Description, Member, SourceColumn
from trickle.capture.registry import SCHEMA
from trickle.capture.session import fetch, run

_FUNCTION = """
CREATE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS {body}
"""

_BODY = """
#variable_conflict use_column
DECLARE
    failure text;
BEGIN
    BEGIN
        IF (SELECT array_agg(inhrelid ORDER BY inhrelid) FROM pg_inherits WHERE inhparent = ANY({members}))
           IS DISTINCT FROM {heirs} THEN
            INSERT INTO trickle.gaps (relid, reason) VALUES ({root}, 'its partitions or heirs changed');
        END IF;
        IF TG_OP = 'INSERT' THEN
            {inserted}
        ELSIF TG_OP = 'UPDATE' THEN
            {deleted}
            {inserted}
        ELSIF TG_OP = 'DELETE' THEN
            {deleted}
        ELSE
            {truncated}
        END IF;
    EXCEPTION WHEN OTHERS THEN
        failure := SQLSTATE || ' ' || SQLERRM;
        BEGIN
            INSERT INTO trickle.gaps (relid, reason) VALUES ({root}, failure);
        EXCEPTION WHEN OTHERS THEN
            IF SQLSTATE !~ '^(42|3F|0A)' THEN
                RAISE;
            END IF;
            RAISE WARNING 'trickle could not capture this change: %', failure;
        END;
    END;
    RETURN NULL;
END
"""

_ROWS = "INSERT INTO {buffer} (w, {columns}) SELECT {weight}, {values} FROM {rows} AS n({places});"
_TRUNCATED = "INSERT INTO {buffer} (w) VALUES (0);"
_PARTITION_TRUNCATED = "INSERT INTO trickle.gaps (relid, reason) VALUES ({root}, 'a partition was truncated');"

_TRIGGERS = {
    "INSERT": "REFERENCING NEW TABLE AS new_rows",
    "UPDATE": "REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows",
    "DELETE": "REFERENCING OLD TABLE AS old_rows",
    "TRUNCATE": "",
}

_FUNCTIONS_ON = """
SELECT DISTINCT p.proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
LEFT JOIN pg_trigger t ON t.tgfoid = p.oid
WHERE n.nspname = 'trickle' AND p.prorettype = 'trigger'::regtype
  AND (t.tgrelid = ANY(%(relids)s::oid[]) OR p.proname = ANY(%(names)s))
"""


def buffer(relid: int) -> sql.Identifier:
    """The buffer of a source."""
    return sql.Identifier(SCHEMA, f"changes_{relid}")


def install(session: PgConnection, table: Description) -> None:
    """Create the buffer, functions and triggers; whatever was there before must be gone."""
    run(session, _buffer_table(table))
    for member in table.members:
        function = sql.Identifier(SCHEMA, f"capture_{member.relid}")
        body = _body(table, member).as_string(session)
        run(session, sql.SQL(_FUNCTION).format(function=function, body=sql.Literal(body)))
        run(session, sql.SQL("REVOKE ALL ON FUNCTION {}() FROM PUBLIC").format(function))
        for event, referencing in _TRIGGERS.items():
            run(session, _trigger(member, event, referencing, function))


def uninstall(session: PgConnection, relid: int, members: tuple[int, ...]) -> None:
    """Drop a source's buffer and functions; the triggers go with the functions, wherever they are by now."""
    names = [f"capture_{member}" for member in members]
    for (name,) in fetch(session, _FUNCTIONS_ON, {"relids": list(members), "names": names}):
        run(session, sql.SQL("DROP FUNCTION {}() CASCADE").format(sql.Identifier(SCHEMA, name)))
    run(session, sql.SQL("DROP TABLE IF EXISTS {}").format(buffer(relid)))


def installed(session: PgConnection, members: tuple[int, ...]) -> bool:
    """Whether any trigger of ours is on these tables."""
    return bool(fetch(session, _FUNCTIONS_ON, {"relids": list(members), "names": []}))


def _buffer_type(column: SourceColumn) -> str:
    """Enums are kept as text, so that our buffer never stands in the way of DROP TYPE."""
    if not column.labelled:
        return column.base_type
    return "text[]" if column.storage.type.startswith("array") else "text"


def _buffer_table(table: Description) -> sql.Composed:
    columns = sql.SQL(", ").join(
        sql.SQL("{} {}").format(column.buffer_column, sql.SQL(_buffer_type(column))) for column in table.columns
    )
    return sql.SQL(
        "CREATE TABLE {} (seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
        " xid xid8 NOT NULL DEFAULT pg_current_xact_id(), w smallint NOT NULL, {})"
    ).format(buffer(table.relid), columns)


def _body(table: Description, member: Member) -> sql.Composed:
    root = sql.Literal(table.relid)
    heirs = sorted(other.relid for other in table.members if other.relid != table.relid)
    whole = member.relid == table.relid
    return sql.SQL(_BODY).format(
        inserted=_rows(table, member, 1),
        deleted=_rows(table, member, -1),
        truncated=sql.SQL(_TRUNCATED if whole else _PARTITION_TRUNCATED).format(
            **({"buffer": buffer(table.relid)} if whole else {"root": root})
        ),
        root=root,
        members=_oids([other.relid for other in table.members]),
        heirs=_oids(heirs) if heirs else sql.SQL("NULL::oid[]"),
    )


def _oids(relids: list[int]) -> sql.Composed:
    return sql.SQL("{}::oid[]").format(sql.Literal(relids))


def _rows(table: Description, member: Member, weight: int) -> sql.Composed:
    by_name = {column.name: column for column in table.columns}
    values = [
        sql.SQL("n.{}::{}").format(c.buffer_column, sql.SQL(_buffer_type(c)))
        if c.labelled
        else sql.SQL("n.{}").format(c.buffer_column)
        for c in table.columns
    ]
    return sql.SQL(_ROWS).format(
        buffer=buffer(table.relid),
        columns=sql.SQL(", ").join(column.buffer_column for column in table.columns),
        weight=sql.Literal(weight),
        values=sql.SQL(", ").join(values),
        rows=sql.Identifier("new_rows" if weight > 0 else "old_rows"),
        places=sql.SQL(", ").join(by_name[name].buffer_column for name in member.columns),
    )


def _trigger(member: Member, event: str, referencing: str, function: sql.Identifier) -> sql.Composed:
    name = sql.Identifier(f"trickle_{event.lower()}")
    return sql.SQL(
        "CREATE TRIGGER {name} AFTER {event} ON {table} {referencing} FOR EACH STATEMENT EXECUTE FUNCTION {function}();"
        " ALTER TABLE ONLY {table} ENABLE ALWAYS TRIGGER {name}"
    ).format(
        name=name,
        event=sql.SQL(event),
        table=member.identifier,
        referencing=sql.SQL(referencing),
        function=function,
    )
