"""Random queries for a given time: `python -m tests.properties.soak --seconds 600` prints each failure with its seed.

A failure is shown as drawn, then as small as it gets, in the form of a golden case. The exit code is 1 if there was
one.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser, Namespace
from collections import Counter
from itertools import count
from random import SystemRandom

from tests.differentiate.duck_database import DuckDatabase
from tests.properties.golden_text import golden_text
from tests.properties.grammar import Engine
from tests.properties.schedule import NewDatabase, Outcome, Verdict, random_schedule, run
from tests.properties.shrink import shrink


def _arguments() -> Namespace:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, help="begin with this seed: what failed is seen again")
    parser.add_argument("--only", action="store_true", help="stop after the first seed")
    parser.add_argument("--engine", type=Engine, choices=list(Engine), default=Engine.DUCKDB)
    return parser.parse_args()


def _database(engine: Engine) -> NewDatabase:
    if engine is Engine.DUCKDB:
        return DuckDatabase
    from tests.differentiate.spark_database import spark_databases  # a JVM only where one is asked for

    return spark_databases()


def show(seed: int, verdict: Verdict, new_database: NewDatabase, seconds: float) -> None:
    print(f"seed {seed}: {verdict.described()}\n", flush=True)
    if verdict.outcome is Outcome.REFUSED:
        return
    small = shrink(verdict, new_database, seconds)
    print(f"# seed {seed}, shrunk: {small.outcome}: {small.detail}\n{golden_text(small.schedule)}\n", flush=True)


def main() -> int:
    wanted = _arguments()
    deadline = time.monotonic() + wanted.seconds
    new_database, outcomes, failures = _database(wanted.engine), Counter[Outcome](), 0
    for seed in count(wanted.seed if wanted.seed is not None else SystemRandom().randrange(10**9)):
        verdict = run(random_schedule(seed, wanted.engine), new_database)
        outcomes[verdict.outcome] += 1
        if verdict.failed:
            failures += 1
            show(seed, verdict, new_database, min(30, wanted.seconds))
        if wanted.only or time.monotonic() > deadline:
            break
    print(f"{outcomes.total()} queries: " + ", ".join(f"{n} {outcome}" for outcome, n in outcomes.items()))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
