"""Seconds and bytes of FULL and DIFFERENTIAL refreshes of the 22 TPC-H queries, on the same data and changes.

    python -m benchmarks.tpch --scale 1
    python -m benchmarks.tpch --scale 0.01 --query q05 --query q18

Each query is declared twice, `full` and `differential`, over one set of mirrors. Both refresh to the same epoch in one
warm session, one table at a time. AUTO is what `trickle plan` says about a project on the same lake that leaves the
choice. The last round changes two nations, of which there are only 25: that reaches 8 % of all suppliers and customers.

Ends with 1 when a differential refresh was not one, or not equal, or read more than FULL where AUTO would take it.
"""

from __future__ import annotations

import argparse
import math
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks.reading import COUNTED, ReadMeter
from benchmarks.refresh import server
from benchmarks.tpch_data import PROJECT, QUERIES, Round, change, generate, load
from trickle import Project
from trickle.model.report import Progress, TableRun

WARM_UP = Round(1, 0.0001)
ROUNDS = {
    "0.01 % changed": Round(2, 0.0001),
    "0.1 % changed": Round(3, 0.001),
    "1 % changed": Round(4, 0.01),
    "two nations changed": Round(5, 0.0, nations=2),
}
_MODE = re.compile(r"refresh_mode='\w+'")


@dataclass(frozen=True, slots=True)
class Measured:
    """One query in one round."""

    query: str
    full: TableRun
    differential: TableRun
    full_bytes: int
    differential_bytes: int
    auto: str
    equal: bool

    @property
    def ratio(self) -> float:
        return self.full.seconds / self.differential.seconds

    def problems(self) -> Iterator[str]:
        """What a differential refresh must not do; a query that reads nothing of what changed has nothing to do."""
        if str(self.differential.mode) == "NO_DATA":
            return
        if str(self.differential.mode) != "DIFFERENTIAL":
            yield f"{self.query} was not DIFFERENTIAL: {self.differential.error or self.differential.reason}"
        elif not self.equal:
            yield f"{self.query} differs from its query"
        elif self.differential_bytes > self.full_bytes and self.auto != "FULL":
            yield f"{self.query} read more than FULL, and AUTO picks {self.auto}"


@dataclass
class Bench:
    """Two projects on one lake: the one that is measured, and the one that is asked what AUTO would do."""

    root: Path
    dsn: str
    queries: Sequence[str]
    reads: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.meter = ReadMeter()
        both = {f"{query}_{mode}": (query, mode) for query in self.queries for mode in ("full", "differential")}
        auto = {f"{query}_differential": (query, "auto") for query in self.queries}
        self.measured, self.asked = self._project("measured", both), self._project("asked", auto)

    def _project(self, name: str, tables: dict[str, tuple[str, str]]) -> Project:
        """The example with other tables, on the benchmark's database."""
        root = self.root / name
        shutil.copytree(PROJECT, root, ignore=shutil.ignore_patterns("tables"))
        settings = yaml.safe_load((PROJECT / "trickle.yml").read_text())
        target = {"connections": {"tpch": {"dsn": self.dsn}}, "spark": {"master": "local[*]", "conf": COUNTED}}
        settings |= {"lake": str(self.root / "lake"), "targets": {"dev": target}}
        (root / "trickle.yml").write_text(yaml.safe_dump(settings))
        (root / "tables").mkdir()
        for table, (query, mode) in tables.items():
            text = (PROJECT / "tables" / f"{query}.sql").read_text()
            (root / "tables" / f"{table}.sql").write_text(_MODE.sub(f"refresh_mode='{mode}'", text, count=1))
        return Project.load(root)

    def begin(self) -> None:
        """Copy the sources and refresh every table; then the differential ones again, so that their SQL is compiled."""
        self.measured.run(threads=1)
        change(self.dsn, WARM_UP)
        self.measured.run(threads=1, select=[f"{query}_differential" for query in self.queries])

    def measure(self, changes: Round) -> list[Measured]:
        """One round of changes, and every table refreshed over it."""
        change(self.dsn, changes)
        auto = {plan.name: str(plan.mode or "refused") for plan in self.asked.plan().tables}
        runs = {run.name: run for run in self.measured.run(threads=1, progress=self._note_reads).tables}
        return [self._measured(query, runs, auto[f"{query}_differential"]) for query in self.queries]

    def _measured(self, query: str, runs: dict[str, TableRun], auto: str) -> Measured:
        full, differential = f"{query}_full", f"{query}_differential"
        return Measured(
            query,
            runs[full],
            runs[differential],
            self.reads[full],
            self.reads[differential],
            auto,
            all(verdict.equal for verdict in self.measured.verify(select=[differential])),
        )

    def _note_reads(self, progress: Progress) -> None:
        """What was read since the table before it ended, or since it began."""
        read = self.meter.since_last()
        if progress.kind == "table" and progress.status != "running":
            self.reads[progress.name.rpartition(".")[2]] = read


def table_of(title: str, rows: Iterable[Measured]) -> Table:
    """A row a query, and the geometric mean."""
    head = ("query", "FULL s", "DIFF. s", "FULL / DIFF.", "FULL MB", "DIFF. MB", "read of FULL", "AUTO", "equal")
    table = Table(*head, title=title, box=box.MARKDOWN)
    ratios, shares = [], []
    for row in rows:
        if str(row.differential.mode) != "DIFFERENTIAL":
            table.add_row(row.query, str(row.full.mode), str(row.differential.mode or "failed"))
            continue
        share = row.differential_bytes / row.full_bytes
        ratios.append(row.ratio)
        shares.append(share)
        seconds = (f"{row.full.seconds:.2f}", f"{row.differential.seconds:.2f}", f"{row.ratio:.1f}x")
        read = (f"{row.full_bytes / 1e6:.1f}", f"{row.differential_bytes / 1e6:.1f}", f"{share:.0%}")
        table.add_row(row.query, *seconds, *read, row.auto, "yes" if row.equal else "NO")
    if ratios:
        table.add_row("geometric mean", "", "", f"{_mean(ratios):.1f}x", "", "", f"{_mean(shares):.0%}", "", "")
    return table


def _mean(values: Sequence[float]) -> float:
    return math.exp(sum(math.log(value) for value in values) / len(values))


def options() -> argparse.Namespace:
    """What is asked for on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--query", choices=QUERIES, action="append", help="measure only this one; may be repeated")
    return parser.parse_args()


def main() -> None:
    """Measure and print."""
    asked = options()
    console = Console(width=120)
    problems: list[str] = []
    with tempfile.TemporaryDirectory(prefix="trickle-tpch-") as name, server(Path(name) / "postgres") as connection:
        root = Path(name)
        began = time.monotonic()
        generate(asked.scale, root / "rows")
        load(connection.dsn, root / "rows")
        console.print(f"scale {asked.scale:g}: loaded in {time.monotonic() - began:.0f} s")
        bench = Bench(root, connection.dsn, asked.query or QUERIES)
        bench.begin()
        for title, changes in ROUNDS.items():
            rows = bench.measure(changes)
            console.print(table_of(title, rows))
            problems += [f"{title}: {problem}" for row in rows for problem in row.problems()]
    for problem in problems:
        console.print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
