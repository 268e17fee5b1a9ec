"""What templates may call: source, ref, config, var, env_var, this."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field

from trickle.model.names import RelationName
from trickle.model.stream_table import Dialect
from trickle.model.suggest import did_you_mean, nearest
from trickle.project.call_site import CallError
from trickle.project.schedule import SCHEDULE_HINT, schedule_problem
from trickle.project.schema_check import problems

_NO_DEFAULT = object()


@dataclass(frozen=True)
class Values:
    """Variables and environment: the functions that `trickle.yml` may call too."""

    variables: Mapping[str, object] = field(repr=False)
    environ: Mapping[str, str] = field(repr=False)

    def var(self, name: str, default: object = _NO_DEFAULT) -> object:
        """The value of a project variable."""
        if name in self.variables:
            return copy.deepcopy(self.variables[name])
        if default is not _NO_DEFAULT:
            return default
        hint = (
            did_you_mean(name, self.variables) or f"pass --vars '{{{name}: ...}}' or set it below vars: in trickle.yml"
        )
        raise CallError(f'variable "{name}" is not set', hint=hint, call="var", argument=name)

    def env_var(self, name: str, default: object = _NO_DEFAULT) -> object:
        """The value of an environment variable."""
        if name in self.environ:
            return self.environ[name]
        if default is not _NO_DEFAULT:
            return default
        hint = f"export {name}=..., or give a default: env_var('{name}', '...')"
        raise CallError(f'environment variable "{name}" is not set', hint=hint, call="env_var", argument=name)

    def functions(self) -> dict[str, object]:
        """The names a YAML value may use."""
        return {"var": self.var, "env_var": self.env_var}


@dataclass(frozen=True, slots=True)
class KnownRelations:
    """What queries may name: source tables, and stream tables by their file names."""

    dialect: Dialect
    sources: frozenset[RelationName]
    tables: Mapping[str, RelationName]

    def quoted(self, name: RelationName) -> str:
        """A two-part identifier in the project's dialect."""
        mark = "`" if self.dialect is Dialect.SPARK else '"'
        return ".".join(f"{mark}{part.replace(mark, mark * 2)}{mark}" for part in (name.schema, name.table))


@dataclass(frozen=True, slots=True)
class This:
    """The stream table being rendered, as `{{ this }}`."""

    schema: str
    table: str
    sql: str

    def __str__(self) -> str:
        return self.sql


@dataclass(frozen=True)
class TableFunctions:
    """The functions of one stream table; remembers what the template asked for."""

    name: RelationName
    known: KnownRelations
    values: Values
    config_lines: int = 0
    inputs: dict[RelationName, None] = field(default_factory=dict)
    settings: dict[str, object] = field(default_factory=dict)

    def source(self, name: str, table: str) -> str:
        """The name of a source table, noted as an input."""
        relation = RelationName(str(name) or "?", str(table) or "?")
        if relation not in self.known.sources:
            raise self._unknown_source(relation)
        self.inputs[relation] = None
        return self.known.quoted(relation)

    def ref(self, name: str) -> str:
        """The name of another stream table, noted as an input."""
        if name not in self.known.tables:
            raise self._unknown_table(str(name))
        relation = self.known.tables[name]
        self.inputs[relation] = None
        return self.known.quoted(relation)

    def config(self, **settings: object) -> str:
        """Settings of the table; yields as many line ends as the call spans, so that lines stay where they were."""
        plain = {key: list(value) if isinstance(value, tuple) else value for key, value in settings.items()}
        for problem in problems(plain, "tables", "config"):
            where = problem.key or str(problem.path[0])
            raise CallError(f"config: {problem.message}", hint=problem.hint, call="config", argument=where)
        schedule = plain.get("schedule")
        if isinstance(schedule, str) and schedule_problem(schedule):
            message = f"config: schedule: {schedule_problem(schedule)}"
            raise CallError(message, hint=SCHEDULE_HINT, call="config", argument="schedule")
        self.settings.update(plain)
        return "\n" * self.config_lines

    def functions(self) -> dict[str, object]:
        """The names the table's template may use."""
        this = This(self.name.schema, self.name.table, self.known.quoted(self.name))
        own = {"source": self.source, "ref": self.ref, "config": self.config, "this": this}
        return {**self.values.functions(), **own}

    def _unknown_source(self, relation: RelationName) -> CallError:
        names = {known.schema for known in self.known.sources}
        if relation.schema not in names:
            hint = did_you_mean(relation.schema, names, "known sources") or "declare it in sources/*.yml"
            message = f'source "{relation.schema}" does not exist'
            return CallError(message, hint=hint, call="source", argument=relation.schema)
        tables = {known.table for known in self.known.sources if known.schema == relation.schema}
        hint = did_you_mean(relation.table, tables, "known tables") or "declare it in sources/*.yml"
        message = f'source "{relation.schema}" has no table "{relation.table}"'
        return CallError(message, hint=hint, call="source", argument=relation.table)

    def _unknown_table(self, name: str) -> CallError:
        source = next((known for known in sorted(self.known.sources) if known.table == name), None)
        hint = did_you_mean(name, self.known.tables, "known stream tables")
        if source and not nearest(name, self.known.tables):
            hint = f"it is a source table: source('{source.schema}', '{source.table}')"
        return CallError(f'stream table "{name}" does not exist', hint=hint, call="ref", argument=name)
