"""A parsed query against the schemas it reads: every column and table known, every star expanded."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import NoReturn

from sqlglot import exp
from sqlglot.errors import OptimizeError
from sqlglot.optimizer.normalize_identifiers import normalize_identifiers
from sqlglot.optimizer.qualify import qualify as sqlglot_qualify
from sqlglot.optimizer.scope import Scope, traverse_scope
from sqlglot.schema import MappingSchema

from trickle.errors import Location, ProjectError
from trickle.model.names import RelationName
from trickle.model.schema import Column
from trickle.model.stream_table import Dialect, StreamTable
from trickle.query.distinct_names import distinct_names
from trickle.query.location import of_node, snippet
from trickle.query.outputs import SPELLED, output_columns
from trickle.query.parse import Query, Schemas
from trickle.query.postgres import to_spark
from trickle.query.rewrite import plainer, plainer_as_written
from trickle.query.types import VOID


def closest(wanted: str, known: Iterable[str]) -> str:
    """A hint naming the nearest known word, or nothing."""
    spelled = {word.lower(): word for word in known}
    found = get_close_matches(wanted.lower(), spelled, n=1, cutoff=0.6)
    return f'did you mean "{spelled[found[0]]}"?' if found else ""


def _fail(table: StreamTable, what: str, node: exp.Expr | None, hint: str = "") -> NoReturn:
    location: Location = of_node(table, node) if node is not None else table.location
    raise ProjectError(
        f'stream table "{table.name}": {what}', location=location, snippet=snippet(table, location), hint=hint
    )


def relation_of(node: exp.Table, schemas: Schemas) -> RelationName | None:
    """The relation a table reference names, without regard to case."""
    wanted = (node.db.lower(), node.name.lower())
    return next((name for name in schemas if (name.schema.lower(), name.table.lower()) == wanted), None)


def _base_tables(ast: exp.Query) -> list[exp.Table]:
    """References to stored relations: not to CTEs, pivoted or not, and not to table functions."""
    return [
        source
        for scope in traverse_scope(ast)
        for source in scope.sources.values()
        if isinstance(source, exp.Table)
        and isinstance(source.this, exp.Identifier)
        and (source.db or source.name not in scope.cte_sources)
    ]


def _check_tables(ast: exp.Query, schemas: Schemas, table: StreamTable) -> tuple[RelationName, ...]:
    names: list[RelationName] = []
    for node in _base_tables(ast):
        name = relation_of(node, schemas) if node.db and not node.catalog else None
        if name is None:
            written = ".".join(part.name for part in node.parts)
            known = [*(str(n) for n in schemas), *(n.table for n in schemas)]
            hint = closest(written, known) or "name inputs with source(...) or ref(...)"
            _fail(table, f'unknown table "{written}"', node, hint)
        names.append(name)
    return tuple(dict.fromkeys(names))


def _spell_aliases(ast: exp.Query) -> exp.Query:
    """Note how each alias was written, before identifiers are folded to lower case."""
    for alias in ast.find_all(exp.Alias):
        identifier = alias.args.get("alias")
        if isinstance(identifier, exp.Identifier):
            identifier.meta[SPELLED] = identifier.name
    return ast


def _mapping(schemas: Schemas) -> MappingSchema:
    nested: dict[str, dict[str, object]] = {}
    for name, schema in schemas.items():
        columns = {c.name.lower(): c.type or "string" for c in schema.columns}
        nested.setdefault(name.schema.lower(), {})[name.table.lower()] = columns
    return MappingSchema(dict(nested), dialect="spark", normalize=False)


def _scope_columns(scope: Scope, schemas: Schemas) -> list[str]:
    found: list[str] = []
    for source in scope.sources.values():
        if isinstance(source, exp.Table):
            name = relation_of(source, schemas)
            found += schemas[name].names if name else []
        elif isinstance(source.expression, exp.Query):
            found += source.expression.named_selects
    return found


def _check_columns(ast: exp.Query, schemas: Schemas, table: StreamTable) -> None:
    for scope in traverse_scope(ast):
        if not isinstance(scope.expression, exp.Select):
            continue
        columns = _scope_columns(scope, schemas)
        for column in scope.unqualified_columns:
            known = column.name.lower() in {name.lower() for name in columns}
            what = f'column "{column.name}" is ambiguous' if known else f'unknown column "{column.name}"'
            _fail(table, what, column, "write table.column" if known else closest(column.name, columns))
        if scope.external_columns and not scope.is_correlated_subquery:
            column = scope.external_columns[0]
            hint = closest(column.table, scope.sources)
            _fail(table, f'unknown table "{column.table}" in "{column.table}.{column.name}"', column, hint)


def _explain_failure(error: OptimizeError, ast: exp.Query, schemas: Schemas, table: StreamTable) -> NoReturn:
    text = str(error).splitlines()[0]
    match = re.search(r"(?:[Uu]nknown [a-z ]*column:|resolve|join:) '?([^']+)'?", text)
    name = match.group(1).strip() if match else ""
    columns = [c for c in ast.find_all(exp.Column) if c.name.lower() == name.lower()]
    node = next((c for c in columns if c.table), columns[0] if columns else None)
    known = {c.name for schema in schemas.values() for c in schema.columns}
    inputs = [schemas[n] for t in ast.find_all(exp.Table) if (n := relation_of(t, schemas))]
    known = {c.name for schema in inputs for c in schema.columns} or known
    hint = closest(name, known - {name}) if name else ""
    _fail(table, f'unknown column "{name}"' if node is not None else text[:1].lower() + text[1:], node, hint)


def _check_outputs(columns: tuple[Column, ...], ast: exp.Query, table: StreamTable) -> None:
    seen: set[str] = set()
    for column, node in zip(columns, ast.selects, strict=True):
        if column.name.lower() in seen:
            _fail(table, f'two output columns are called "{column.name}"', node, "give one of them an alias")
        if column.type == VOID:
            hint = f"write cast(null as string) as {column.name}, or another type"
            _fail(table, f'column "{column.name}" is NULL in every row and has no type', node, hint)
        seen.add(column.name.lower())


def qualify(ast: exp.Query, schemas: Schemas, table: StreamTable) -> Query:
    """Resolve tables and columns without regard to case; what cannot be resolved is a ProjectError."""
    ast = _spell_aliases(distinct_names(ast, schemas))
    inputs = _check_tables(ast, schemas, table)
    ast = normalize_identifiers(ast, dialect="spark", store_original_column_identifiers=True)
    ast = plainer_as_written(ast, schemas, table)
    written = ast.copy()
    try:
        ast = sqlglot_qualify(
            ast, dialect="spark", schema=_mapping(schemas), validate_qualify_columns=False, identify=True
        )
        _check_columns(ast, schemas, table)
    except OptimizeError as error:
        _explain_failure(error, written, schemas, table)
    ast = plainer(ast, schemas, table)
    if table.dialect is Dialect.POSTGRES:
        ast = to_spark(ast, schemas, table)
    columns = output_columns(ast, schemas)
    _check_outputs(columns, ast, table)
    return Query(table, ast, columns, inputs, {name: schemas[name] for name in inputs})
