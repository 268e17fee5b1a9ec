"""Find where in a file a template call went wrong."""

from __future__ import annotations

import re
from collections.abc import Container
from types import TracebackType

from trickle.project.text import FileText


class CallError(Exception):
    """A template function refuses its arguments; `call` and `argument` are the words to look for in the file."""

    def __init__(self, message: str, *, hint: str = "", call: str = "", argument: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.call = call
        self.argument = argument


def template_lines(traceback: TracebackType | None, files: Container[str]) -> list[tuple[str, int]]:
    """The template lines a traceback runs through, outermost first."""
    lines = []
    while traceback is not None:
        name = traceback.tb_frame.f_code.co_filename
        if name in files:
            lines.append((name, traceback.tb_lineno))
        traceback = traceback.tb_next
    return lines


def call_offset(file: FileText, start: int, call: str, argument: str) -> int:
    """The offset of the first such call from `start` on; for config() that of the setting itself."""
    name, word = re.escape(call), re.escape(argument)
    patterns = [rf"""\b{name}\s*\([^)]*?['"]{word}['"]""", rf"\b{name}\s*\("]
    if call == "config":
        patterns.insert(0, rf"\b{word}\s*=")
    return first_match(file, start, patterns)


def first_match(file: FileText, start: int, patterns: list[str]) -> int:
    """The offset of the first pattern that occurs from `start` on, else of the first character in that line."""
    for pattern in [*patterns, r"\S"]:
        match = re.compile(pattern).search(file.text, start)
        if match:
            return match.start()
    return start


def syntax_offset(file: FileText, line: int, message: str) -> int:
    """The offset of the word a syntax error complains about, else of the template tag in that line."""
    start = file.line_start(line)
    end = file.line_start(line + 1)
    text = file.text[start:end]
    for word in reversed(re.findall(r"'([^']+)'", message)):
        if word in text:
            return start + text.index(word)
    tag = re.search(r"\{[{%#]|\S", text)
    return start + (tag.start() if tag else 0)
