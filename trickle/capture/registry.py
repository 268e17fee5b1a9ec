"""Schema `trickle`: what is captured in this database and how far each lake has it.

    lakes      one row a lake: the last cut it sealed
    sources    one row a captured table, shared by all lakes; a new generation means that changes may be missing before
    captures   which lake captures which table, and the snapshot up to which it no longer needs the buffer's rows
    cuts       the cuts each lake opened lately, with the generations that were whole in them
    gaps       transactions whose changes could not be captured

Rows change in the same transaction as the objects they describe.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from psycopg2.extensions import connection as PgConnection  # noqa: N812 - a class, whatever the library calls it

from trickle.capture.session import fetch, fetch_one, run
from trickle.capture.witness import Witness

SCHEMA = "trickle"
DDL_LOCK = 0x747269636B6C65
TRIM_LOCK = DDL_LOCK + 1

_CREATE = """
CREATE SCHEMA IF NOT EXISTS trickle;
COMMENT ON SCHEMA trickle IS 'change capture of trickle; remove it with: trickle drop --all';
CREATE TABLE trickle.lakes (
    lake text PRIMARY KEY, cut_id text, epoch bigint, snapshot pg_snapshot, sealed_at timestamptz, note text
);
CREATE TABLE trickle.sources (
    relid oid PRIMARY KEY, table_name text NOT NULL, generation uuid NOT NULL, members oid[] NOT NULL,
    witness jsonb NOT NULL, installed_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE trickle.captures (
    lake text NOT NULL REFERENCES trickle.lakes ON DELETE CASCADE, name text NOT NULL, relid oid NOT NULL,
    generation uuid, snapshot pg_snapshot NOT NULL, PRIMARY KEY (lake, name)
);
CREATE INDEX ON trickle.captures (relid);
CREATE TABLE trickle.cuts (
    lake text NOT NULL REFERENCES trickle.lakes ON DELETE CASCADE, snapshot text NOT NULL, generations jsonb NOT NULL,
    opened_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (lake, snapshot)
);
CREATE TABLE trickle.gaps (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, relid oid NOT NULL,
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(), at timestamptz NOT NULL DEFAULT now(), reason text
);
"""

_KEPT_CUTS = """
DELETE FROM trickle.cuts WHERE lake = %(lake)s AND snapshot NOT IN (
    SELECT snapshot FROM trickle.cuts WHERE lake = %(lake)s ORDER BY opened_at DESC LIMIT 20
)
"""


@dataclass(frozen=True, slots=True)
class Capture:
    """How far one lake has one source; `generation` is the one of its last sealed cut."""

    relid: int
    generation: str | None
    snapshot: str


@dataclass(frozen=True, slots=True)
class Source:
    """One captured table."""

    relid: int
    generation: str
    members: tuple[int, ...]
    witness: Witness


@dataclass(frozen=True, slots=True)
class Registered:
    """What the registry says to one lake; `cuts` maps a snapshot to the generations that were whole in it."""

    cut_id: str | None = None
    captures: Mapping[str, Capture] = field(default_factory=dict)
    sources: Mapping[int, Source] = field(default_factory=dict)
    cuts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def generation(self, name: str, snapshot: str) -> str | None:
        """The generation a source was captured with in the lake's cut at this snapshot."""
        capture = self.captures.get(name)
        if capture is not None and capture.generation and capture.snapshot == snapshot:
            return capture.generation
        return self.cuts.get(snapshot, {}).get(name)


def exists(session: PgConnection) -> bool:
    """Whether the registry is there, complete."""
    (found,) = fetch_one(
        session,
        "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'trickle'"
        " AND c.relname IN ('lakes', 'sources', 'captures', 'cuts', 'gaps')",
    )
    return bool(found == 5)


def create(session: PgConnection) -> None:
    """Create the registry; one that lost a table starts anew, which resyncs every source."""
    run(session, "DROP TABLE IF EXISTS trickle.captures, trickle.cuts, trickle.lakes, trickle.sources, trickle.gaps")
    run(session, _CREATE)


def read(session: PgConnection, lake: str) -> Registered:
    """What the registry says, in the session's snapshot."""
    if not exists(session):
        return Registered()
    cut_ids = fetch(session, "SELECT cut_id FROM trickle.lakes WHERE lake = %s", (lake,))
    captures = fetch(
        session, "SELECT name, relid, generation::text, snapshot::text FROM trickle.captures WHERE lake = %s", (lake,)
    )
    cuts = fetch(session, "SELECT snapshot, generations FROM trickle.cuts WHERE lake = %s", (lake,))
    return Registered(
        cut_ids[0][0] if cut_ids else None,
        {name: Capture(relid, generation, snapshot) for name, relid, generation, snapshot in captures},
        {source.relid: source for source in sources(session)},
        dict(cuts),
    )


def sources(session: PgConnection) -> tuple[Source, ...]:
    """Every captured table."""
    rows = fetch(session, "SELECT relid, generation::text, members::int8[], witness FROM trickle.sources")
    return tuple(Source(relid, generation, tuple(members), found) for relid, generation, members, found in rows)


def open_cut(session: PgConnection, lake: str, snapshot: str, generations: Mapping[str, str]) -> None:
    """Note a cut and the generations that were whole in it."""
    run(
        session,
        "INSERT INTO trickle.cuts (lake, snapshot, generations)"
        " SELECT %s, %s, coalesce(jsonb_object_agg(name, generation), '{}')"
        " FROM unnest(%s::text[], %s::text[]) AS g(name, generation)"
        " ON CONFLICT (lake, snapshot) DO UPDATE SET generations = excluded.generations, opened_at = now()",
        (lake, snapshot, list(generations), list(generations.values())),
    )
    run(session, _KEPT_CUTS, {"lake": lake})


def advance(session: PgConnection, lake: str, name: str, snapshot: str) -> None:
    """Note that the lake holds a source up to the cut at this snapshot."""
    run(
        session,
        "UPDATE trickle.captures SET snapshot = %(snapshot)s::pg_snapshot, generation = ("
        " SELECT (generations ->> %(name)s)::uuid FROM trickle.cuts WHERE lake = %(lake)s AND snapshot = %(snapshot)s"
        ") WHERE lake = %(lake)s AND name = %(name)s AND snapshot::text <> %(snapshot)s",
        {"lake": lake, "name": name, "snapshot": snapshot},
    )
