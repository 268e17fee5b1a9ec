"""What every command is given: the global options, and the way to the project they name.

The loader is a field, so that a test hands in a project of its own; `trickle.app` is imported only when a command
really needs it, which keeps `trickle --help` quick.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from trickle.model.report import Check, Explanation, PlanReport, Progress, RunReport, StatusReport, Verification

if TYPE_CHECKING:
    import pyarrow as pa


class DatabasePort(Protocol):
    """One database of the project, for looking at it and changing it by hand."""

    def url(self) -> str: ...

    def start(self) -> object: ...

    def stop(self) -> object: ...

    def execute(self, sql: str) -> tuple[Sequence[str], Sequence[Sequence[object]]] | None:
        """Run and commit statements; columns and rows of the last one, None when it yields none."""
        ...


class ProjectPort(Protocol):
    """What the commands ask of a project."""

    def plan(self, *, offline: bool, select: Sequence[str], exclude: Sequence[str]) -> PlanReport: ...

    def run(
        self,
        *,
        select: Sequence[str],
        exclude: Sequence[str],
        full_refresh: bool,
        progress: Callable[[Progress], None] | None,
    ) -> RunReport: ...

    def table(self, name: str) -> pa.Table: ...

    def status(self) -> StatusReport: ...

    def history(self, limit: int) -> pa.Table: ...

    def verify(
        self, *, select: Sequence[str], exclude: Sequence[str], source: bool, limit: int
    ) -> tuple[Verification, ...]: ...

    def explain(self, name: str) -> Explanation: ...

    def compile(self) -> tuple[Path, ...]: ...

    def doctor(self) -> tuple[Check, ...]: ...

    def drop(self, name: str | None) -> tuple[str, ...]: ...

    def names(self, *, select: Sequence[str], exclude: Sequence[str]) -> tuple[str, ...]: ...

    def database(self, connection: str | None) -> DatabasePort: ...


class Load(Protocol):
    """Opens the project in a directory."""

    def __call__(
        self, directory: Path, *, target: str | None, variables: Mapping[str, object] | None
    ) -> ProjectPort: ...


def _load(directory: Path, *, target: str | None, variables: Mapping[str, object] | None) -> ProjectPort:
    from trickle.app import Project

    return Project.load(directory, target=target, variables=variables)


def _create(name: str, directory: Path) -> tuple[Path, ...]:
    from trickle.app import init

    return init(name, directory)


@dataclass(frozen=True, slots=True)
class Session:
    """The options that commands share, as given so far before and after the command's name."""

    directory: Path = Path()
    target: str | None = None
    variables: Mapping[str, object] = field(default_factory=dict)
    select: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    load: Load = _load
    create: Callable[[str, Path], tuple[Path, ...]] = _create

    def project(self) -> ProjectPort:
        """Load the project that the options name."""
        return self.load(self.directory, target=self.target, variables=self.variables)
