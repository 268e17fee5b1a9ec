"""Render Jinja in SQL files and YAML values, in a sandbox, with errors that point at the call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from jinja2 import FunctionLoader, StrictUndefined, TemplateError, TemplateSyntaxError, UndefinedError, nodes
from jinja2.sandbox import SandboxedEnvironment

from trickle.errors import Location, ProjectError
from trickle.model.suggest import did_you_mean
from trickle.project.call_site import CallError, call_offset, first_match, syntax_offset, template_lines
from trickle.project.text import FileText

_COMMENT = re.compile(r"^[ \t]*\{#.*?#\}", re.DOTALL | re.MULTILINE)
_ERRORS = (
    CallError,
    TemplateError,
    TypeError,
    ValueError,
    ArithmeticError,
    LookupError,
    AttributeError,
    RecursionError,
)
_RESERVED = ("source", "ref", "config", "var", "env_var", "this")


class Templates:
    """The SQL files of a project, with the macros that all of them share."""

    def __init__(self, tables: Mapping[str, FileText], macros: Mapping[str, FileText]) -> None:
        self._files = {**tables, **macros}
        self._environment = _environment(self._files)
        self._macro_files = tuple(macros)
        self.macros = self._find_macros(macros.values())

    def render(self, path: str, functions: Mapping[str, object]) -> str:
        """Render one SQL file with these functions and all macros."""
        namespace: dict[str, Any] = {**self._environment.globals, **functions}
        try:
            for macro_file in self._macro_files:
                module = self._environment.get_template(macro_file).make_module(namespace, shared=True)
                own = (name for name, location in self.macros.items() if location.file == macro_file)
                namespace.update({name: getattr(module, name) for name in own})
            return self._environment.get_template(path).render(namespace)
        except _ERRORS as error:
            raise self._located(error, path, namespace) from error

    def _find_macros(self, files: Iterable[FileText]) -> dict[str, Location]:
        found: dict[str, Location] = {}
        for file in files:
            for macro in (node for node in self._parse(file).body if isinstance(node, nodes.Macro)):
                offset = first_match(file, file.line_start(macro.lineno), [rf"\b{re.escape(macro.name)}\b"])
                if macro.name in _RESERVED:
                    raise file.error(f'macro "{macro.name}" has the name of a built-in function', offset)
                if macro.name in found:
                    hint = f"it is also defined in {found[macro.name]}"
                    raise file.error(f'duplicate macro "{macro.name}"', offset, hint=hint)
                found[macro.name] = file.location(offset)
        return found

    def _parse(self, file: FileText) -> nodes.Template:
        try:
            return self._environment.parse(file.text, file.path, file.path)
        except TemplateSyntaxError as error:
            raise _syntax_error(file, error) from error

    def _located(self, error: Exception, path: str, namespace: Mapping[str, object]) -> ProjectError:
        if isinstance(error, TemplateSyntaxError):
            return _syntax_error(self._files[error.filename or path], error)
        lines = template_lines(error.__traceback__, self._files) or [(path, 1)]
        name, line = lines[-1]
        outer, outer_line = lines[0]
        detail = f"called from {outer}:{outer_line}" if outer != name else ""
        file = self._files[name]
        return _call_error(file, file.line_start(line), error, namespace, detail)


def render_value(text: str, file: FileText, where: Location, functions: Mapping[str, object]) -> str:
    """Render one YAML value that begins at `where`."""
    environment = _environment({})
    try:
        return environment.from_string(text).render(functions)
    except _ERRORS as error:
        start = file.line_start(where.line) + where.column - 1
        raise _call_error(file, start, error, functions, "") from error


def config_lines(text: str) -> int:
    """How many line ends the config() call of a template spans."""
    call = re.search(r"\{\{-?\s*config\s*\(.*?\}\}", text, re.DOTALL)
    return call[0].count("\n") if call else 0


def _environment(files: Mapping[str, FileText]) -> SandboxedEnvironment:
    def load(name: str) -> tuple[str, str, Any] | None:
        if name not in files:
            return None
        # A comment yields its line ends, so that errors in the rendered SQL keep the file's line numbers.
        text = _COMMENT.sub(lambda match: "\n" * match[0].count("\n"), files[name].text)
        return text, name, lambda: True

    environment = SandboxedEnvironment(
        loader=FunctionLoader(load), undefined=StrictUndefined, extensions=["jinja2.ext.do"], keep_trailing_newline=True
    )
    # Rendering the same files twice must give the same text.
    environment.globals.pop("lipsum")
    environment.filters.pop("random")
    return environment


def _syntax_error(file: FileText, error: TemplateSyntaxError) -> ProjectError:
    message = error.message or "cannot be read"
    return file.error(f"template syntax: {message}", syntax_offset(file, error.lineno, message))


def _call_error(
    file: FileText, start: int, error: Exception, namespace: Mapping[str, object], detail: str
) -> ProjectError:
    if isinstance(error, CallError):
        offset = call_offset(file, start, error.call, error.argument)
        return file.error(error.message, offset, hint=error.hint, detail=detail)
    message = re.sub(r"\b(TableFunctions|Values)\.", "", str(error))
    words = [rf"\b{re.escape(word)}\b" for word in re.findall(r"'([^']+)'|(\w+)\(\)", message) for word in word if word]
    undefined = re.fullmatch(r"'(\w+)' is undefined", message)
    hint = did_you_mean(undefined[1], namespace) if undefined and isinstance(error, UndefinedError) else ""
    return file.error(f"template: {message}", first_match(file, start, words), hint=hint, detail=detail)
