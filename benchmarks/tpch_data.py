"""TPC-H in PostgreSQL: `tpchgen-cli` makes the rows, COPY loads them, the refresh functions change them.

Which rows change depends on the seed alone, so that a test and a benchmark can be repeated. The new orders and the
updates are aimed at dates, brands, segments and names the queries ask for; random rows would miss most of the WHERE
clauses.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg2
from psycopg2 import extensions, sql

PROJECT = Path(__file__).parents[1] / "examples" / "tpch"
CHANGES = Path(__file__).parent / "tpch_changes"
TABLES = ("region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem")
SMALLEST = 0.008
QUERIES = tuple(f"q{number:02}" for number in range(1, 23))


@dataclass(frozen=True, slots=True)
class Round:
    """One round of changes: the share of each table's rows that change, and how many nations."""

    seed: int
    share: float
    nations: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise ValueError(f"a share of {self.share} is not between 0 and 1")


def generate(scale: float, folder: Path) -> None:
    """Write the eight tables as CSV files."""
    if scale < SMALLEST:
        raise ValueError(f"at scale {scale} two suppliers of a part can be the same; take {SMALLEST} or more")
    program = Path(sys.executable).parent / "tpchgen-cli"
    subprocess.run([program, "csv", "-s", str(scale), "-o", folder, "--quiet"], check=True)


def load(dsn: str, folder: Path) -> None:
    """Create the tables and fill them."""
    with _session(dsn) as cursor:
        cursor.execute((PROJECT / "schema.sql").read_text())
        # the generator's rows refer to one another rightly: asking again for each of them takes minutes
        cursor.execute("set local session_replication_role = replica")
        for name in TABLES:
            copy = sql.SQL("copy {} from stdin with (format csv, header)").format(sql.Identifier(name))
            with (folder / f"{name}.csv").open() as rows:
                cursor.copy_expert(copy, rows)
    with _session(dsn) as cursor:
        cursor.execute("analyze")


def change(dsn: str, changes: Round) -> None:
    """Update the other tables, insert orders with their lines, delete orders with their lines: a transaction each."""
    for name in ("updates", "inserts", "deletes"):
        with _session(dsn) as cursor:
            cursor.execute(
                "create temp table round on commit drop as"
                " select %s::bigint as seed, %s::double precision as share, %s::int as nations",
                (changes.seed, changes.share, changes.nations),
            )
            cursor.execute((CHANGES / f"{name}.sql").read_text())


@contextmanager
def _session(dsn: str) -> Iterator[extensions.cursor]:
    with closing(psycopg2.connect(dsn)) as connection, connection, connection.cursor() as cursor:
        yield cursor
