"""Breaks every delta rule on purpose and shows which test notices: `python tests/mutation/mutate.py [module ...]`.

Each mutant is one edit of one module of `trickle.differentiate`, loaded in a process of its own. The tests of that
module are run first, then the golden cases that it plans otherwise, with inputs as they were written and folded;
`--random` adds random queries with a fixed seed, which tell a mutant nobody has written a case for from one that is the
same law in other words.

A mutant of a law must be noticed by rows: that a plan looks different from the one written down proves nothing. A
mutant of what is merely read may be noticed by the plan's text. Ends with 1 when a mutant survives.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.abc
import importlib.machinery
import importlib.util
import multiprocessing
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from argued import ARGUED
from mutations import Mutant, mutants

if TYPE_CHECKING:
    from golden import Case

    from trickle.query.operators import Relation

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "trickle/differentiate"
NO_LAW = {"__init__", "algebra", "explain", "plan"}
"""Modules that print or hold values."""
ON_READING = {
    "lose SemiJoin",
    "lose Restrict",
    "lose restrict",
    "turn a condition",
    "drop a condition",
    "take one branch",
}
"""Kinds that may leave the rows alone and cost only reading; the plan's text must show it then."""
SECONDS = 120
Plans = dict[str, str]
"""What the right code executes for each golden case."""
_fork = multiprocessing.get_context("fork")


@dataclass(frozen=True)
class Verdict:
    """What happened to a mutant; `killer` is the test that noticed it, or empty."""

    mutant: Mutant
    killer: str

    @property
    def killed(self) -> bool:
        return bool(self.killer)

    @property
    def line(self) -> str:
        m = self.mutant
        argued = f"same law: {ARGUED[m.key]}" if m.key in ARGUED else "SURVIVED"
        name, at = m.module.rpartition(".")[2], f"{m.module.rpartition('.')[2]}.py:{m.line}"
        return f"{name:<16} {m.kind:<18} {at:<24} {self.killer or argued}\n{'':<16} {m.change}"


def law_modules(chosen: Sequence[str] = ()) -> dict[str, Path]:
    """The modules that hold laws, by their dotted names: all of the package but what only prints."""
    paths = [p for p in sorted(PACKAGE.rglob("*.py")) if p.stem not in NO_LAW and (not chosen or p.stem in chosen)]
    return {".".join(p.relative_to(ROOT).with_suffix("").parts): p for p in paths}


# -- in the process of one mutant ---------------------------------------------------------------------------


class _Mutated(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from edited source."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def find_spec(self, name: str, path: object, target: object = None) -> importlib.machinery.ModuleSpec | None:  # noqa: ARG002 the finder's protocol
        return importlib.util.spec_from_loader(name, self) if name == self.mutant.module else None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.mutant.source, self.mutant.module, "exec"), module.__dict__)  # noqa: S102 the mutant is our own source


def _golden(first: str) -> dict[str, Case]:
    """Every case that has a plan, those of one file first."""
    from golden import read_cases

    files = sorted((ROOT / "tests/rules").glob("*.golden"), key=lambda path: (path.stem != first, path.stem))
    cases = {f"{path.stem}: {case.sentence}": case for path in files for case in read_cases(path.read_text("utf-8"))}
    return {name: case for name, case in cases.items() if not case.plan.startswith("refused")}


def _statements(relation: Relation) -> str:
    """What is executed for a relation: its stages and itself, with what their scans may leave out."""
    from duck_database import TABLE

    from trickle.differentiate.narrow import narrow
    from trickle.differentiate.stages import staged
    from trickle.query.draw import draw
    from trickle.query.operators import Scan
    from trickle.query.tree import walk

    parts = staged(relation, TABLE)
    narrowed = [narrow(part) for part in (*(part for _, part in parts.stages), parts.relation)]
    bounds = [str(node.within) for part in narrowed for node in walk(part) if isinstance(node, Scan)]
    return "\n".join([*map(draw, narrowed), *bounds])


def _plans(case: Case) -> str:
    """Everything that a case executes: the whole plan, and the plan that each interval's changes leave of it."""
    from duck_database import DuckDatabase, read_query

    from trickle.differentiate.simplify import prune_plan

    database = DuckDatabase(read_query(case.query, case.schemas, case.dialect))
    unchanged = [frozenset(name for name in database.rows if not i.changes.get(name)) for i in case.intervals]
    parts = []
    for plan in (database.plan, *(prune_plan(database.plan, names) for names in unchanged)):
        parts += [f"{u.state}\n{_statements(u.baseline)}\n{_statements(u.delta)}" for u in plan.states]
        parts += [_statements(plan.delta), _statements(plan.result)]
    return "\n".join(parts)


def _differing(first: str, right: Plans) -> Iterator[tuple[str, Case]]:
    """The cases that the mutant plans otherwise; no other can tell it from the right code."""
    for name, case in _golden(first).items():
        try:
            same = _plans(case) == right[name]
        except Exception:  # noqa: BLE001 a mutant may fail in any way
            same = False
        if not same:
            yield name, case


def _noticed_by_rows(name: str, case: Case, folds: bool) -> str:
    """The case, when its rows come out wrong with inputs as they were written, or folded."""
    from golden import run

    try:
        wrong = any(delta != interval.expected for interval, delta in run(case, folds))
    except AssertionError:
        wrong = True
    except Exception as error:  # noqa: BLE001 a mutant may fail in any way
        return f"{name} [{type(error).__name__}]"
    return name if wrong else ""


class _FirstFailure:
    """Remembers the test that failed."""

    name = ""

    def pytest_runtest_logreport(self, report: object) -> None:
        if getattr(report, "failed", False):
            self.name = self.name or str(getattr(report, "nodeid", ""))


def _noticed_by_tests(*paths: str) -> str:
    import pytest

    failure = _FirstFailure()
    options = ["-x", "-q", "--assert=plain", "--noconftest", "-p", "no:cacheprovider", f"--rootdir={ROOT}"]
    code = pytest.main([*options, *paths], plugins=[failure])
    return failure.name or ("" if code == 0 else f"{paths[0]} [exit {int(code)}]")


def _noticed_by_random_queries() -> str:
    from hypothesis import Phase, settings

    settings.register_profile("mutants", derandomize=True, database=None, phases=[Phase.generate])
    settings.load_profile("mutants")
    return _noticed_by_tests(str(ROOT / "tests/properties/test_delta.py"))


def _noticed_by(mutant: Mutant, right: Plans, random: bool) -> Iterator[str]:
    stem = mutant.module.rpartition(".")[2]
    own = [str(path) for path in (ROOT / "tests/differentiate").glob(f"test_{stem}*.py")]
    if own:
        yield _noticed_by_tests(*own)
    cases = {}
    for name, case in _differing(stem, right):
        cases[name] = case
        yield _noticed_by_rows(name, case, folds=False)
    for name, case in cases.items():
        yield _noticed_by_rows(name, case, folds=True)
    if mutant.kind in ON_READING:
        yield next((f"plan of {name}" for name in cases), "")
    if random:
        yield _noticed_by_random_queries()


def _try(mutant: Mutant, right: Plans, random: bool, answer: Connection) -> None:
    sys.meta_path.insert(0, _Mutated(mutant))
    with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing), contextlib.redirect_stderr(nothing):
        answer.send(next(filter(None, _noticed_by(mutant, right, random)), ""))


def _write_plans(answer: Connection) -> None:
    """What the right code plans for every case, all of which it must pass."""
    cases = _golden("")
    wrong = any(_noticed_by_rows(name, case, folds) for name, case in cases.items() for folds in (False, True))
    answer.send({} if wrong else {name: _plans(case) for name, case in cases.items()})


# -- in the process that starts them ------------------------------------------------------------------------


def _preload() -> None:
    """What every mutant needs and none changes, imported once before the processes part."""
    sys.path[:0] = [str(ROOT / path) for path in (".", "tests/differentiate", "tests/properties")]
    for name in ("duckdb", "hypothesis", "pytest", "trickle.query.lower", "trickle.query.canonical"):
        importlib.import_module(name)
    if any(name.startswith("trickle.differentiate") for name in sys.modules):
        raise RuntimeError("a module to be mutated is already imported")


def verdicts(waiting: Iterable[Mutant], right: Plans, options: argparse.Namespace) -> Iterator[Verdict]:
    """Each mutant's fate, as they are decided; some at a time, each in a process of its own."""
    queue = iter(waiting)
    running: dict[Connection, tuple[Mutant, multiprocessing.process.BaseProcess, float]] = {}
    while True:
        while len(running) < options.jobs and (mutant := next(queue, None)) is not None:
            ours, theirs = _fork.Pipe(duplex=False)
            process = _fork.Process(target=_try, args=(mutant, right, options.random, theirs))
            process.start()
            theirs.close()
            running[ours] = mutant, process, time.monotonic() + SECONDS
        if not running:
            return
        ready = wait(list(running), timeout=1)
        for pipe, (mutant, process, deadline) in list(running.items()):
            if pipe in ready or time.monotonic() > deadline:
                del running[pipe]
                yield Verdict(mutant, _answer(pipe, process))


def _answer(pipe: Connection, process: multiprocessing.process.BaseProcess) -> str:
    """The killer's name; a mutant that does not come to an end was noticed too."""
    try:
        return str(pipe.recv()) if pipe.poll() else f"no answer in {SECONDS} s"
    except EOFError as error:
        raise RuntimeError("the process of a mutant ended without an answer") from error
    finally:
        process.kill()
        process.join()


def complaints(found: Sequence[Verdict], every_module: bool) -> list[str]:
    """Survivors without an argument, and arguments without a survivor."""
    keys = Counter(v.mutant.key for v in found)
    killed = {v.mutant.key for v in found if v.killed}
    wrong = [f"survived: {' | '.join(v.mutant.key)}" for v in found if not v.killed and v.mutant.key not in ARGUED]
    wrong += [f"argued to be the same law, yet a test fails: {' | '.join(key)}" for key in ARGUED if key in killed]
    if every_module:
        wrong += [f"argued, but there is no such mutant: {' | '.join(key)}" for key in ARGUED if key not in keys]
    return wrong


def right_plans() -> Plans:
    """The plans of the code as it is, made in a process of their own like every mutant's."""
    ours, theirs = _fork.Pipe(duplex=False)
    process = _fork.Process(target=_write_plans, args=(theirs,))
    process.start()
    theirs.close()
    plans: Plans = ours.recv()
    process.join()
    return plans


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("module", nargs="*", help="rules or passes by file name, such as inner_join; all without one")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--random", action="store_true", help="try random queries on what survives")
    options = parser.parse_args(arguments)
    _preload()
    right = right_plans()
    if not right:
        print("the golden cases fail without any mutant")
        return 1
    found = []
    modules = law_modules(options.module)
    everyone = [m for name, path in modules.items() for m in mutants(name, path.read_text("utf-8"))]
    for verdict in verdicts(everyone, right, options):
        found.append(verdict)
        print(verdict.line, flush=True)
    wrong = complaints(found, not options.module)
    killed = sum(v.killed for v in found)
    print(f"\n{len(found)} mutants: {killed} killed, {len(found) - killed} not", *wrong, sep="\n")
    return 1 if wrong or not found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
