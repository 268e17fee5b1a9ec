"""A smaller schedule that fails in the same way: clauses, expressions and rows are dropped as long as it does."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import sqlglot
from sqlglot import exp

from tests.properties.schedule import NewDatabase, Outcome, Schedule, Verdict, run, total
from trickle.model.names import RelationName

_CLAUSES = ("where", "having", "qualify", "order", "limit", "offset", "distinct", "group", "with_")
_LISTS = ("expressions", "joins", "laterals")


def _alike(first: Verdict, second: Verdict) -> bool:
    """Whether two schedules fail for the same reason, as far as their first words tell."""
    if first.outcome is not second.outcome:
        return False
    return first.outcome is not Outcome.BROKEN or first.detail[:40] == second.detail[:40]


def _without_parts(ast: exp.Expr) -> Iterator[tuple[exp.Expr, str, int | None]]:
    """Clauses, and items of lists, that a query can do without."""
    for node in ast.find_all(exp.Select, exp.SetOperation, exp.With, exp.Group, exp.Window):
        yield from ((node, clause, None) for clause in _CLAUSES if node.args.get(clause))
        for name in _LISTS:
            items = node.args.get(name) or []
            yield from ((node, name, i) for i in range(len(items)) if len(items) > 1 or name != "expressions")


def _dropped(ast: exp.Expr, path: int) -> exp.Expr | None:
    """A copy without its part number `path`; None after the last."""
    copied = ast.copy()
    for turn, (node, name, item) in enumerate(_without_parts(copied)):
        if turn == path:
            node.set(name, None if item is None else [e for i, e in enumerate(node.args[name]) if i != item])
            return copied
    return None


def _replacements(node: exp.Expr) -> Iterator[exp.Expr]:
    """What may stand for a node: one of its operands, or for a subquery a query inside it."""
    if isinstance(node, exp.SetOperation):
        yield from (node.left, node.right)
    elif isinstance(node, exp.Select):
        yield from (inner for inner in node.find_all(exp.Select, exp.SetOperation) if inner is not node)
    elif isinstance(node, exp.Condition) and not isinstance(node, exp.Column | exp.Literal | exp.Subquery | exp.Query):
        yield from (e for e in node.iter_expressions() if isinstance(e, exp.Condition))


def _hoisted(ast: exp.Expr) -> Iterator[exp.Expr]:
    """Copies with one node replaced by a part of itself."""
    for place, node in enumerate(list(ast.walk())):
        for choice in range(len(list(_replacements(node)))):
            copied = ast.copy()
            target = list(copied.walk())[place]
            chosen = list(_replacements(target))[choice]
            if target is copied:
                yield chosen.copy()
            else:
                target.replace(chosen.copy())
                yield copied


def _smaller_queries(sql: str) -> Iterator[str]:
    ast = sqlglot.parse_one(sql, read="spark")
    candidates = [e.sql("spark") for e in _hoisted(ast)]
    part = 0
    while (less := _dropped(ast, part)) is not None:
        candidates.append(less.sql("spark"))
        part += 1
    yield from sorted({c for c in candidates if len(c) < len(ast.sql("spark"))}, key=len)


def _valid(schedule: Schedule) -> bool:
    """Whether no row is deleted more often than it is there."""
    for name, rows in schedule.rows.items():
        present = Counter(rows)
        for changes in schedule.cycles:
            present.update(total(changes.get(name, [])))
            if any(weight < 0 for weight in present.values()):
                return False
    return True


def _fewer_rows(schedule: Schedule) -> Iterator[Schedule]:
    for turn in range(len(schedule.cycles)):
        yield replace(schedule, cycles=schedule.cycles[:turn] + schedule.cycles[turn + 1 :])
        for name, changes in schedule.cycles[turn].items():
            for some in ([], *([c for j, c in enumerate(changes) if j != i] for i in range(len(changes)))):
                yield _with_change(schedule, turn, name, some)
    for name, rows in schedule.rows.items():
        yield replace(schedule, rows={**schedule.rows, name: Counter()})
        yield from (replace(schedule, rows={**schedule.rows, name: rows - Counter([row])}) for row in rows)


def _with_change(
    schedule: Schedule, turn: int, name: RelationName, some: list[tuple[tuple[object, ...], int]]
) -> Schedule:
    changed = {**schedule.cycles[turn], name: some}
    return replace(schedule, cycles=(*schedule.cycles[:turn], changed, *schedule.cycles[turn + 1 :]))


def _smaller(schedule: Schedule) -> Iterator[Schedule]:
    yield from (replace(schedule, sql=sql) for sql in _smaller_queries(schedule.sql))
    yield from (fewer for fewer in _fewer_rows(schedule) if fewer != schedule and _valid(fewer))


def shrink(verdict: Verdict, new_database: NewDatabase, seconds: float = 30) -> Verdict:
    """The smallest failure found in the time; the same failure where nothing can go."""
    deadline = time.monotonic() + seconds
    while True:
        for smaller in _smaller(verdict.schedule):
            found = run(smaller, new_database)
            if _alike(found, verdict):
                verdict = found
                break
            if time.monotonic() > deadline:
                return verdict
        else:
            return verdict
