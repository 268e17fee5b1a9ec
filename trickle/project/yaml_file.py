"""A YAML file as plain values that remember where they were written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import yaml

from trickle.errors import Location, ProjectError
from trickle.project.text import FileText

Path = Sequence[str | int]
Render = Callable[[str, Location], str]

_STRING = "tag:yaml.org,2002:str"
_BOOLEAN = "tag:yaml.org,2002:bool"
_MERGE = "tag:yaml.org,2002:merge"


@dataclass(frozen=True, slots=True)
class YamlFile:
    """The value of a YAML file, and the nodes it was made of."""

    file: FileText
    node: yaml.Node
    value: object

    def key_location(self, path: Path) -> Location:
        """Where the last key of `path` is written, or the nearest thing that is."""
        return _location(self.file, _walk(self.node, path)[0])

    def value_location(self, path: Path) -> Location:
        """Where the value at `path` begins."""
        return _location(self.file, _walk(self.node, path)[1])

    def error(self, message: str, path: Path, *, hint: str = "") -> ProjectError:
        """An error at the value of `path`."""
        return self.file.error(message, self.value_location(path), hint=hint)


def is_template(value: object) -> bool:
    """Whether a YAML value is text that Jinja has to render."""
    return isinstance(value, str) and ("{{" in value or "{%" in value)


def compose(file: FileText) -> yaml.Node:
    """Parse a file into nodes; refuses bad syntax, duplicate keys and keys that are not text."""
    try:
        node = yaml.compose(file.text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        raise _syntax_error(file, error) from error
    except yaml.reader.ReaderError as error:
        raise file.error("a character that YAML does not allow", error.position, hint="delete it") from error
    if node is None:
        raise file.error("the file is empty", 0, hint="declare something in it, or delete it")
    _check_keys(file, node, ())
    return node


def construct(file: FileText, node: yaml.Node) -> YamlFile:
    """Turn nodes into plain values."""
    loader = yaml.SafeLoader("")
    try:
        return YamlFile(file, node, loader.construct_document(node))
    except yaml.MarkedYAMLError as error:
        raise _syntax_error(file, error) from error
    except ValueError as error:
        raise file.error("a value cannot be read", 0, hint="quote values that look like dates") from error
    finally:
        loader.dispose()


def read_yaml(file: FileText) -> YamlFile:
    """Parse a YAML file without rendering anything."""
    return construct(file, compose(file))


def render_scalars(file: FileText, node: yaml.Node, render: Render) -> None:
    """Render every Jinja text below `node` in place; `true` and `false` become booleans."""
    if isinstance(node, yaml.ScalarNode) and node.tag == _STRING and is_template(node.value):
        node.value = render(node.value, _location(file, node))
        if node.value in ("true", "false"):
            node.tag = _BOOLEAN
    for child in _children(node):
        render_scalars(file, child, render)


def child(node: yaml.Node, key: str) -> yaml.Node | None:
    """The value node of a mapping's key."""
    if isinstance(node, yaml.MappingNode):
        values: list[yaml.Node] = [value for name, value in node.value if name.value == key]
        return values[0] if values else None
    return None


def _children(node: yaml.Node) -> Iterator[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        for _, value in node.value:
            yield value
    elif isinstance(node, yaml.SequenceNode):
        yield from node.value


def _walk(node: yaml.Node, path: Path) -> tuple[yaml.Node, yaml.Node]:
    key_node = node
    for step in path:
        if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            key_node = node = node.value[step]
            continue
        found = [pair for pair in node.value if pair[0].value == step] if isinstance(node, yaml.MappingNode) else []
        if not found:
            break
        key_node, node = found[-1]
    return key_node, node


def _location(file: FileText, node: yaml.Node) -> Location:
    return Location(file.path, node.start_mark.line + 1, node.start_mark.column + 1)


def _check_keys(file: FileText, node: yaml.Node, above: tuple[int, ...]) -> None:
    if id(node) in above:
        raise file.error("an anchor contains itself", _location(file, node))
    if isinstance(node, yaml.MappingNode):
        seen: dict[str, yaml.Node] = {}
        for key, _ in node.value:
            _check_key(file, key, seen)
    for below in _children(node):
        _check_keys(file, below, (*above, id(node)))


def _check_key(file: FileText, key: yaml.Node, seen: dict[str, yaml.Node]) -> None:
    where = _location(file, key)
    if not isinstance(key, yaml.ScalarNode):
        raise file.error("a key must be text", where, hint=_QUOTE_TEMPLATE)
    if key.tag == _MERGE:
        return
    if key.tag != _STRING:
        raise file.error(f'key "{key.value}" must be text', where, hint=f"quote it: '{key.value}'")
    if key.value in seen:
        first = _location(file, seen[key.value])
        raise file.error(f'duplicate key "{key.value}"', where, hint=f"it is already set in line {first.line}")
    seen[key.value] = key


_QUOTE_TEMPLATE = "quote values that begin with a template: \"{{ env_var('NAME') }}\""


def _syntax_error(file: FileText, error: yaml.MarkedYAMLError) -> ProjectError:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    lines = file.text.splitlines()
    shown = lines[line - 1] if line <= len(lines) else ""
    hint = _QUOTE_TEMPLATE if "{{" in shown else _SYNTAX_HINTS.get(error.problem or "", "")
    return file.error(f"YAML syntax: {error.problem or 'cannot be read'}", Location(file.path, line, column), hint=hint)


_SYNTAX_HINTS = {
    "found character '\\t' that cannot start any token": "indent with spaces, not tabs",
    "mapping values are not allowed here": "quote text that contains a colon, and check the indentation",
    "could not find expected ':'": "write `key: value`",
}
