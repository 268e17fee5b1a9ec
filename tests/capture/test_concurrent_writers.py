"""Writers that overlap in every way, while cuts are taken: at each cut the mirror equals the table in its snapshot."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter

import psycopg2
import pytest

from tests.capture.lake import Lake, source, tuples
from tests.capture.writers import Writers
from trickle.errors import SourceError
from trickle.model.stream_table import SourceTable

pytestmark = pytest.mark.postgres

COMPARISONS = 12
STATEMENTS = [
    "insert into t select {n}, 'x' from generate_series(1, {k})",
    "update t set v = v || '{k}' where id % 7 = {k}",
    "update t set id = id + 1 where id % 11 = {k}",
    "delete from t where id % 13 = {k}",
    "savepoint s",
    "rollback to s",
    "insert into u values ({n}) on conflict do nothing",
    "delete from u where id < {n}",
]


def transaction(choice: random.Random) -> list[str]:
    statements = ["savepoint s", *choice.choices(STATEMENTS, k=choice.randint(1, 6))]
    if choice.random() < 0.05:
        statements.append("truncate t")
    return [text.format(n=choice.randint(0, 500), k=choice.randint(1, 6)) for text in statements]


def write(dsn: str, seed: int, stop: threading.Event) -> None:
    choice = random.Random(seed)
    session = psycopg2.connect(dsn)
    while not stop.is_set():
        try:
            with session.cursor() as cursor:
                for statement in transaction(choice):
                    cursor.execute(statement)
                    time.sleep(choice.choice([0, 0, 0.01, 0.05]))
            session.rollback() if choice.random() < 0.2 else session.commit()
        except psycopg2.errors.DeadlockDetected:
            session.rollback()
    session.close()


def compare(lake: Lake, sources: list[SourceTable]) -> list[str]:
    """Take one cut; the tables whose mirror was compared with a copy in the same snapshot."""
    compared = []
    with lake.database.cut(lake.id, sources, lake.since, lake.known) as cut:
        for one in sources:
            assert cut.must_copy(one.name) == ""
            lake.apply(one.name, cut)
            try:
                copied = Counter(tuples(cut.copy(one.name)))
            except SourceError as error:
                if "changed after the snapshot" not in str(error):  # a TRUNCATE leaves nothing to compare with
                    raise
            else:
                assert lake.rows(one.pg_table) == copied
                compared.append(one.pg_table)
        lake.seal(cut.position, sources)
    return compared


def test_mirror_equals_the_table_at_every_cut(writers: Writers, lake: Lake) -> None:
    writers.run("create table t (id int, v text)", "create table u (id int primary key)")
    sources = [source("t"), source("u")]
    lake.refresh(*sources)
    stop = threading.Event()
    threads = [threading.Thread(target=write, args=(writers.dsn, seed, stop)) for seed in range(4)]
    for thread in threads:
        thread.start()
    try:
        compared = Counter[str]()
        while min(compared["t"], compared["u"]) < COMPARISONS:
            compared.update(compare(lake, sources))
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    lake.refresh(*sources)
    assert lake.rows("t") == writers.rows("t")
    assert lake.rows("u") == writers.rows("u")
