"""A witness of everything a source's capture depends on, so that any change to it in between is noticed.

Comparing the present state is not enough: a trigger that was disabled and enabled again looks as before, and so does
a buffer that was truncated. The `xmin` of a catalog row tells when it was last written, and vacuum leaves it alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from psycopg2.extensions import connection as PgConnection  # noqa: N812 - a class, whatever the library calls it

from trickle.capture.session import fetch_one

Witness = Mapping[str, Any]

_WITNESS = """
WITH RECURSIVE member(oid, attached) AS (
    SELECT %(relid)s::oid, ''
    UNION ALL
    SELECT i.inhrelid, i.xmin::text FROM pg_inherits i JOIN member m ON i.inhparent = m.oid
),
attribute AS (
    SELECT a.* , a.xmin AS written FROM pg_attribute a JOIN member m ON m.oid = a.attrelid
    WHERE a.attnum > 0 AND NOT a.attisdropped
),
used_type(oid) AS (
    SELECT atttypid FROM attribute WHERE attrelid = %(relid)s
    UNION
    SELECT x.oid FROM used_type u JOIN pg_type t ON t.oid = u.oid, LATERAL (VALUES (t.typbasetype), (t.typelem)) x(oid)
    WHERE x.oid <> 0
),
function AS (
    SELECT p.oid, p.xmin AS written FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    JOIN member m ON p.proname = 'capture_' || m.oid WHERE n.nspname = 'trickle'
),
own AS (
    SELECT c.relname, concat_ws(':', c.oid, c.xmin, n.oid, n.xmin) AS identity
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'trickle' AND c.relname IN ('gaps', 'changes_' || %(relid)s::oid)
)
SELECT jsonb_build_object(
    'members', (SELECT md5(string_agg(concat_ws(':', m.oid, m.attached, c.relpersistence), ' ' ORDER BY m.oid))
                FROM member m JOIN pg_class c ON c.oid = m.oid),
    'columns', (SELECT md5(string_agg(concat_ws(':', attrelid, attnum, attname, atttypid, atttypmod, attnotnull,
                                                attgenerated), ' ' ORDER BY attrelid, attnum)) FROM attribute),
    'labels', (SELECT coalesce(jsonb_object_agg(e.oid, e.enumlabel), '{}')
               FROM pg_enum e JOIN used_type u ON u.oid = e.enumtypid),
    'functions', (SELECT string_agg(oid || ':' || written, ' ' ORDER BY oid) FROM function),
    'triggers', (SELECT string_agg(concat_ws(':', t.oid, t.xmin, t.tgenabled, t.tgrelid), ' ' ORDER BY t.oid)
                 FROM pg_trigger t JOIN function f ON f.oid = t.tgfoid),
    'buffer', (SELECT identity FROM own WHERE relname <> 'gaps'),
    'gaps', (SELECT identity FROM own WHERE relname = 'gaps'),
    'definitions', (SELECT md5(string_agg(concat_ws(':', attrelid, attnum, written), ' ' ORDER BY attrelid, attnum))
                    FROM attribute),
    'files', (SELECT md5(string_agg(m.oid || ':' || c.relfilenode, ' ' ORDER BY m.oid))
              FROM member m JOIN pg_class c ON c.oid = m.oid)
)
"""

_PARTS = {
    "members": "its partitions changed",
    "columns": "its columns changed",
    "functions": "a capture function is missing or was replaced",
    "triggers": "a capture trigger is missing, or was changed or disabled",
    "buffer": "its change buffer is missing or was emptied",
    "gaps": "the table trickle.gaps is missing or was emptied",
}


def witness(session: PgConnection, relid: int) -> Witness:
    """The witness of a source in the session's snapshot."""
    (found,) = fetch_one(session, _WITNESS, {"relid": relid})
    return dict(found)


def difference(then: Witness, now: Witness) -> str:
    """What happened between two witnesses that may have lost changes, or an empty string.

    New definitions alone (a default) or new files alone (VACUUM FULL, TRUNCATE) keep every value; both together are
    a column whose values were rewritten. Labels may be added to an enum, but not renamed.
    """
    for part, words in _PARTS.items():
        if then.get(part) != now.get(part):
            return words
    if then["definitions"] != now["definitions"] and then["files"] != now["files"]:
        return "its rows were rewritten by ALTER TABLE"
    if any(now["labels"].get(oid) != label for oid, label in then["labels"].items()):
        return "labels of an enum it uses were renamed"
    return ""
