"""How a table is refreshed, in words and SQL; walks the same steps that `run` executes."""

from __future__ import annotations

from collections.abc import Iterator

from trickle.differentiate.explain import explain
from trickle.model.ports import Loop
from trickle.model.report import Explanation
from trickle.refresh.compiled import CompiledTable
from trickle.refresh.steps import CommitNoChange, DropState, Fold, Step, differential_steps, full_steps


def explain_table(compiled: CompiledTable) -> Explanation:
    """The operator tree with the law at each node, then the statements of both modes."""
    statements = dict(_statements("full", full_steps(compiled, baseline=False)))
    if compiled.plan is None:
        return Explanation(compiled.name.table, "", statements, str(compiled.refused))
    statements |= dict(_statements("delta", differential_steps(compiled, frozenset())))
    return Explanation(compiled.name.table, explain(compiled.plan), statements)


def _statements(mode: str, steps: tuple[Step, ...]) -> Iterator[tuple[str, str]]:
    for step in steps:
        if not isinstance(step, Fold | CommitNoChange | DropState):
            statement = step.statement
            title = mode if statement.title in {"delta", "result"} else f"{mode} {statement.title}"
            for stage in statement.stages:
                if isinstance(stage, Loop):
                    yield f"{title}, recursion {stage.name} begins with", stage.base
                    yield f"{title}, recursion {stage.name} goes on with", stage.step
                else:
                    yield f"{title}, stage {stage.name}", stage.sql
            yield title, statement.sql
