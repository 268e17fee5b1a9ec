"""The text of one project file, and errors that point into it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from trickle.errors import Location, ProjectError

_MASK = "***"
_SECRETS = (
    re.compile(r"""(\bdsn["']?\s*:\s*)(?!["']?\{\{)("[^"]*"|'[^']*'|\S.*)"""),
    re.compile(
        r"""(?i)([\w.]*(?:password|passwd|secret|token|access[._]key)[\w.]*["']?\s*[:=]\s*)"""
        r"""(?!["']?\{\{)([^\s,}]+)"""
    ),
    re.compile(r"(\w+://[^\s/@:{]*:)([^\s@{]+)(?=@)"),
)


@dataclass(frozen=True, slots=True)
class FileText:
    """A file's text; `path` is relative to the project, with forward slashes."""

    path: str
    text: str

    def location(self, offset: int) -> Location:
        """The line and column of a character."""
        before = self.text[:offset]
        return Location(self.path, before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1)

    def line_start(self, line: int) -> int:
        """The offset at which a line begins; the end of the text for a line beyond it."""
        offset = 0
        for _ in range(line - 1):
            newline = self.text.find("\n", offset)
            if newline < 0:
                return len(self.text)
            offset = newline + 1
        return offset

    def snippet(self, location: Location) -> str:
        """The line at a location with a caret below the column; secrets are masked."""
        lines = self.text.splitlines()
        if not 0 < location.line <= len(lines):
            return ""
        shown = mask_secrets(lines[location.line - 1].replace("\t", " "))
        number = str(location.line)
        return f"  {number} | {shown.rstrip()}\n  {' ' * len(number)} | {' ' * (location.column - 1)}^"

    def error(self, message: str, where: Location | int, *, hint: str = "", detail: str = "") -> ProjectError:
        """An error at a location or offset, showing the offending line."""
        location = self.location(where) if isinstance(where, int) else where
        return ProjectError(message, location=location, snippet=self.snippet(location), hint=hint, detail=detail)


def mask_secrets(line: str) -> str:
    """Replace what looks like a password, token or connection string; template calls stay readable."""
    for secret in _SECRETS:
        line = secret.sub(lambda match: match.group(1) + _MASK, line)
    return line


def read_text(root: Path, file: Path) -> FileText:
    """Read one file of the project as UTF-8."""
    path = file.relative_to(root).as_posix()
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ProjectError(f"cannot read {path}", detail=error.strerror or "", location=Location(path)) from error
    try:
        return FileText(path, data.decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError as error:
        good = FileText(path, data[: error.start].decode("utf-8", errors="replace"))
        raise ProjectError(
            f"{path} is not UTF-8 text: byte 0x{data[error.start]:02x} cannot be read",
            location=good.location(len(good.text)),
            hint="save the file as UTF-8",
        ) from error
