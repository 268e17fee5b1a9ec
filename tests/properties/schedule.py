"""One random query over random tables through random changes: after every interval, old + delta = new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from random import Random

import duckdb

from tests.differentiate.duck_database import DuckDatabase, added, read_query
from tests.properties.grammar import Engine, RandomQuery, random_query
from tests.properties.random_tables import SCHEMAS, Changes, ZSet, random_changes, random_rows
from trickle.errors import NotDifferentiableError
from trickle.model.names import RelationName
from trickle.query.parse import Query

CYCLES = 3
REFUSED: dict[str, str] = {}
"""Constructs of the grammar that may be refused, as refusals name them, each with the reason."""
NewDatabase = Callable[[Query], DuckDatabase]


@dataclass(frozen=True)
class Schedule:
    """A query, the rows its tables begin with, and what then changes."""

    sql: str
    rows: dict[RelationName, ZSet]
    cycles: tuple[Changes, ...]
    constructs: frozenset[str] = frozenset()

    def described(self) -> str:
        lines = [self.sql]
        lines += [f"  rows {n.table}: {sorted(z.elements(), key=repr)}" for n, z in self.rows.items() if z]
        for turn, changes in enumerate(self.cycles, 1):
            lines += [f"  change {turn} {n.table}: {[(w, *r) for r, w in c]}" for n, c in changes.items() if c]
        return "\n".join(lines)


class Outcome(StrEnum):
    """How a schedule ended."""

    EQUAL = "equal"
    """After every interval the table was its query from scratch."""
    REFUSED = "refused"
    """The query has no delta plan."""
    AMBIGUOUS = "ambiguous"
    """The query from scratch gives other rows when its tables are read in another order."""
    DIFFERENT = "different"
    """A row too many or too few."""
    BEYOND = "beyond"
    """The engine cannot run the query from scratch: it says that it does not implement it."""
    BROKEN = "broken"
    """An error, which no valid query may cause."""


@dataclass(frozen=True)
class Verdict:
    """A schedule's outcome, and what there is to say about it."""

    schedule: Schedule
    outcome: Outcome
    detail: str = ""

    @property
    def failed(self) -> bool:
        """Whether this is news: a refusal is none where the construct may be refused."""
        if self.outcome is Outcome.REFUSED:
            return not any(self.detail.startswith(construct) for construct in REFUSED)
        return self.outcome not in (Outcome.EQUAL, Outcome.BEYOND)

    def described(self) -> str:
        return f"{self.outcome}: {self.detail}\n{self.schedule.described()}"


def total(changes: list[tuple[tuple[object, ...], int]]) -> ZSet:
    """The Z-set that weighted rows add up to."""
    summed: ZSet = Counter()
    for row, weight in changes:
        summed[row] += weight
    return summed


def random_schedule(seed: int, engine: Engine, cycles: int = CYCLES) -> Schedule:
    """The schedule of a seed; it depends on nothing else."""
    query: RandomQuery = random_query(seed, engine)
    draw = Random(~seed)
    rows = {name: random_rows(draw, name) for name in SCHEMAS}
    present, intervals = dict(rows), []
    for _ in range(cycles):
        changes = random_changes(draw, present)
        intervals.append(changes)
        present |= {name: added(present[name], total(change)) for name, change in changes.items()}
    return Schedule(query.sql, rows, tuple(intervals), query.constructs)


def _ambiguous(database: DuckDatabase) -> str:
    """Two answers of the query from scratch, over the same rows in two orders."""
    backwards = {name: Counter(dict(reversed(rows.items()))) for name, rows in database.rows.items()}
    one, other = database.from_scratch(database.rows), database.from_scratch(backwards)
    return f"one answer {one - other}, another {other - one}" if one != other else ""


def _differences(database: DuckDatabase) -> str:
    wanted = database.from_scratch(database.rows)
    missing = [f"{w:+d} {r}" for r, w in (wanted - database.result).items()]
    excess = [f"{w:+d} {r}" for r, w in (database.result - wanted).items()]
    return f"missing {missing}, too many {excess}" if wanted != database.result else ""


def run(schedule: Schedule, new_database: NewDatabase = DuckDatabase) -> Verdict:
    """Refresh through all intervals; a query that cannot be read or run is broken, not skipped."""
    try:
        database = new_database(read_query(schedule.sql, SCHEMAS))
    except NotDifferentiableError as refusal:
        return Verdict(schedule, Outcome.REFUSED, refusal.construct)
    except Exception as error:  # noqa: BLE001 whatever it is, the seed must be shown with it
        return Verdict(schedule, Outcome.BROKEN, f"{type(error).__name__}: {error}")
    try:
        outcome, detail = _refreshed(database, schedule)
    except duckdb.NotImplementedException as error:
        return Verdict(schedule, Outcome.BEYOND, str(error))
    except Exception as error:  # noqa: BLE001 likewise
        return Verdict(schedule, Outcome.BROKEN, f"{type(error).__name__}: {str(error).partition('Stack Trace')[0]}")
    return Verdict(schedule, outcome, detail)


def _refreshed(database: DuckDatabase, schedule: Schedule) -> tuple[Outcome, str]:
    """Up to the first difference from a query from scratch."""
    for name in database.rows:
        database.rows[name] = Counter(schedule.rows[name])
    ambiguous = _ambiguous(database)
    if ambiguous:
        return Outcome.AMBIGUOUS, ambiguous
    database.baseline()
    difference = _differences(database)
    for turn, changes in enumerate(schedule.cycles, 1):
        if difference:
            return Outcome.DIFFERENT, f"before change {turn}: {difference}"
        database.prunes = turn % 2 == 0  # as often as not, so that most intervals share one statement
        database.refresh({name: change for name, change in changes.items() if name in database.rows})
        difference = _differences(database)
    return (Outcome.DIFFERENT if difference else Outcome.EQUAL), difference
