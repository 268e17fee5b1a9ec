"""One stream table's SQL text to a syntax tree, or an error that names the place in the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.errors import ParseError, TokenError

from trickle.errors import Location, ProjectError
from trickle.model.names import RelationName
from trickle.model.schema import Column, TableSchema
from trickle.model.stream_table import Dialect, StreamTable
from trickle.query.dialect import SparkText, explicit
from trickle.query.location import at_offset, of_node, snippet

_DIALECTS = {Dialect.SPARK: SparkText, Dialect.POSTGRES: Postgres}

Schemas = Mapping[RelationName, TableSchema]


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """A qualified query: identifiers in lower case, meaning as in Spark; `schemas` holds what its inputs store."""

    table: StreamTable
    ast: exp.Query
    columns: tuple[Column, ...]
    inputs: tuple[RelationName, ...]
    schemas: Schemas


def _wrong(table: StreamTable, what: str, location: Location, hint: str = "") -> ProjectError:
    return ProjectError(
        f'stream table "{table.name}": {what}', location=location, snippet=snippet(table, location), hint=hint
    )


def _offset(sql: str, line: int, column: int) -> int:
    """The offset of the character at a line and column, both from 1."""
    starts = [0]
    for text in sql.splitlines(keepends=True):
        starts.append(starts[-1] + len(text))
    return min(starts[min(line - 1, len(starts) - 1)] + max(column - 1, 0), len(sql))


def _syntax_error(table: StreamTable, error: ParseError) -> ProjectError:
    first = error.errors[0] if error.errors else {}
    token = str(first.get("highlight") or "")
    end = _offset(table.sql, int(first.get("line") or 1), int(first.get("col") or 1) + 1)
    location = at_offset(table, max(end - len(token), 0), end)
    near = f' at "{token}"' if token.strip() else " at the end"
    description = str(first.get("description") or "it does not parse").rstrip(".").lower()
    return _wrong(table, f"syntax error{near}: {description}", location)


def _statements(table: StreamTable) -> list[exp.Expr]:
    try:
        return [s for s in sqlglot.parse(table.sql, dialect=_DIALECTS[table.dialect]) if s is not None]
    except ParseError as error:
        raise _syntax_error(table, error) from error
    except TokenError as error:
        raise _wrong(table, f"syntax error: {str(error).splitlines()[0].lower()}", table.location) from error


def parse(table: StreamTable) -> exp.Query:
    """The table's single SELECT or set operation; anything else is a ProjectError."""
    statements = _statements(table)
    if not statements:
        raise _wrong(table, "it has no query", table.location)
    if len(statements) > 1:
        raise _wrong(table, "more than one statement", of_node(table, statements[1]), "keep one SELECT per file")
    query = statements[0]
    while isinstance(query, exp.Subquery) and {k for k, v in query.args.items() if v} == {"this"}:
        query = query.this
    if not isinstance(query, exp.Query) or isinstance(query, exp.Table | exp.Values):
        kind = query.key.upper()
        raise _wrong(table, f"{kind} is not a query", of_node(table, query), "a stream table is one SELECT")
    return explicit(query) if table.dialect is Dialect.SPARK else _known_by_name(query)


def _known_by_name(query: exp.Query) -> exp.Query:
    """EVERY is the standard's name of BOOL_AND, which sqlglot knows."""
    for node in list(query.find_all(exp.Anonymous)):
        if node.name.lower() == "every" and len(node.expressions) == 1:
            node.replace(exp.LogicalAnd(this=node.expressions[0].copy()))
    return query
