"""The error tree: each class tells the caller what to do next.

    TrickleError
    ├── ProjectError             fix the project or the command       exit 2
    │   └── NotDifferentiableError   AUTO falls back to FULL with this reason
    ├── RunError                 something failed while running       exit 1
    │   ├── SourceError          a source database or table failed; other sources go on
    │   ├── EngineError          Spark failed to run a statement
    │   ├── FencedError          another writer committed first; this run must stop
    │   └── CorruptLakeError     the lake contradicts itself; nothing was written
    └── LockHeldError            another run holds the project         exit 3

Messages are a lowercase fragment naming kind and object; `detail` says more, `hint` says what to do.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a project file; line and column count from 1."""

    file: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class TrickleError(Exception):
    """Anything trickle reports to its user."""

    exit_code = 1

    def __init__(
        self,
        message: str,
        *,
        detail: str = "",
        hint: str = "",
        location: Location | None = None,
        snippet: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.detail = detail
        self.hint = hint
        self.location = location
        self.snippet = snippet

    def __str__(self) -> str:
        where = f"{self.location}: " if self.location else ""
        lines = [f"{where}{self.message}", self.snippet, self.detail]
        if self.hint:
            lines.append(f"hint: {self.hint}")
        return "\n".join(line for line in lines if line)


class ProjectError(TrickleError):
    """The project's files or the command line are wrong; nothing was changed."""

    exit_code = 2


class NotDifferentiableError(ProjectError):
    """The query has no delta plan; `construct` names what stands in the way.

    `volatile` queries change without their inputs changing (the current time), so they are stale at every run.
    """

    def __init__(
        self, construct: str, *, location: Location | None = None, detail: str = "", volatile: bool = False
    ) -> None:
        super().__init__(
            f"no delta rule for {construct}",
            detail=detail,
            hint="use refresh_mode auto or full, or rewrite the query",
            location=location,
        )
        self.construct = construct
        self.volatile = volatile


class RunError(TrickleError):
    """Something failed while running; what was committed before stays valid."""


class SourceError(RunError):
    """A source database or one of its tables could not be captured."""


class EngineError(RunError):
    """Spark failed to run a statement."""


class FencedError(RunError):
    """Another writer committed to this lake since the run began."""


class CorruptLakeError(RunError):
    """The lake contradicts itself."""


class LockHeldError(TrickleError):
    """Another run holds this project."""

    exit_code = 3
