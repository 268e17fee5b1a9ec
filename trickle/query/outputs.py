"""Names and types of what a qualified query yields, and of every column its scopes can see."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope

from trickle.model.schema import Column
from trickle.query.parse import Schemas
from trickle.query.type_text import element_of, fields_of
from trickle.query.types import VOID, infer, widest

SPELLED = "spelled"
"""Where an alias keeps the spelling its author gave it."""

Seen = dict[int, tuple[Column, ...]]


def _table_columns(table: exp.Table, schemas: Schemas) -> tuple[Column, ...]:
    wanted = (table.db.lower(), table.name.lower())
    for name, schema in schemas.items():
        if (name.schema.lower(), name.table.lower()) == wanted:
            return schema.columns
    return ()


def _hidden(scope: Scope) -> set[str]:
    """The aliases whose columns end with the ON of a SEMI or ANTI JOIN."""
    joins = scope.expression.args.get("joins") or []
    return {join.alias_or_name for join in joins if join.kind in ("SEMI", "ANTI")}


def _visible(scope: Scope, schemas: Schemas, seen: Seen) -> tuple[Column, ...]:
    """Every column of what the scope reads, named `alias.column` as expressions refer to it.

    A CTE in sight but not read has no columns here.
    """
    found: list[Column] = []
    hidden = _hidden(scope)
    for alias, (_, source) in scope.selected_sources.items():
        if alias in hidden:
            continue
        if isinstance(source, exp.Table):
            columns = _table_columns(source, schemas)
        elif isinstance(source.expression, exp.Lateral):
            columns = _of_lateral(source.expression, tuple(found), seen)
        else:
            columns = seen.get(id(source.expression), ())
        found += [Column(f"{alias}.{column.name}", column.type) for column in columns]
    return tuple(found)


def _spelling(select: exp.Expr, visible: tuple[Column, ...]) -> str:
    identifier = select.args.get("alias")
    spelled = identifier.meta.get(SPELLED) if isinstance(identifier, exp.Identifier) else None
    if spelled and str(spelled).lower() == select.alias_or_name.lower():
        return str(spelled)
    value = select.unalias()
    if isinstance(value, exp.Column) and value.name.lower() == select.alias_or_name.lower():
        wanted = f"{value.table}.{value.name}".lower()
        stored = next((c.name for c in visible if c.name.lower() == wanted), "")
        return stored[len(value.table) + 1 :] or select.alias_or_name
    return select.alias_or_name


def _typed(expression: exp.Expr, seen: Seen) -> exp.Expr:
    """The expression with each scalar subquery as a value of the type it gives."""
    given = [seen.get(id(subquery.unnest()), ()) for subquery in expression.find_all(exp.Subquery)]
    if not given:
        return expression
    holder = exp.Paren(this=expression.copy())
    for subquery, columns in zip(list(holder.find_all(exp.Subquery)), given, strict=True):
        if len(columns) == 1 and columns[0].type not in ("", VOID):
            subquery.replace(exp.cast(exp.null(), columns[0].type, dialect="spark"))
    return holder


def _of_scope(scope: Scope, visible: tuple[Column, ...], seen: Seen) -> tuple[Column, ...]:
    query = scope.expression
    if isinstance(query, exp.SetOperation):
        return _of_set_operation(query, seen)
    if isinstance(query, exp.Select):
        return tuple(Column(_spelling(s, visible), infer(_typed(s.unalias(), seen), visible)) for s in query.selects)
    if isinstance(query, exp.Values):
        rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in query.expressions]
        return _named(query, [widest(infer(v, ()) for v in values) for values in zip(*rows, strict=True)])
    return _of_lateral(query, visible, seen) if isinstance(query, exp.Lateral) else ()


def _of_set_operation(query: exp.SetOperation, seen: Seen) -> tuple[Column, ...]:
    left, right = seen.get(id(query.left.unnest()), ()), seen.get(id(query.right.unnest()), ())
    if len(left) != len(right):
        return tuple(Column(name, "") for name in query.named_selects)
    if _is_recursive(query):
        return left
    return tuple(Column(a.name, widest((a.type, b.type))) for a, b in zip(left, right, strict=True))


def _is_recursive(query: exp.SetOperation) -> bool:
    """Whether a set operation reads its own rows, and so has the columns of its first branch."""
    cte = query.parent
    if not isinstance(cte, exp.CTE) or not isinstance(cte.parent, exp.With) or not cte.parent.args.get("recursive"):
        return False
    return any(table.name == cte.alias and not table.db for table in query.find_all(exp.Table))


def _of_lateral(lateral: exp.Lateral, visible: tuple[Column, ...], seen: Seen) -> tuple[Column, ...]:
    """A lateral subquery's columns, or what a table function makes of an array."""
    function = lateral.this
    if isinstance(function, exp.Subquery):
        inner = seen.get(id(function.unnest()), ())
        names = lateral.alias_column_names
        return tuple(Column(names[i] if i < len(names) else c.name, c.type) for i, c in enumerate(inner))
    if not isinstance(function, exp.Explode | exp.Inline):
        return _named(lateral, [])
    item = element_of(infer(function.this, visible))
    if isinstance(function, exp.Inline):
        return _named(lateral, fields_of(item))
    return _named(lateral, ["int", item] if isinstance(function, exp.Posexplode) else [item])


def _named(source: exp.Values | exp.Lateral, types: list[str]) -> tuple[Column, ...]:
    names = source.alias_column_names
    return tuple(Column(name, types[i] if len(types) == len(names) else "") for i, name in enumerate(names))


def visible_columns(ast: exp.Query, schemas: Schemas) -> Iterator[tuple[Scope, tuple[Column, ...]]]:
    """Each scope of the query, inner before outer, with the columns its expressions may name.

    A caller may rewrite a scope's expressions when it gets it: outer scopes see the types that result.
    """
    seen: Seen = {}
    for scope in traverse_scope(ast):
        visible = _visible(scope, schemas, seen)
        yield scope, visible
        seen[id(scope.expression)] = _of_scope(scope, visible, seen)


def output_columns(ast: exp.Query, schemas: Schemas) -> tuple[Column, ...]:
    """The query's columns; a type is empty when it cannot be told for certain."""
    seen: Seen = {}
    for scope in traverse_scope(ast):
        seen[id(scope.expression)] = _of_scope(scope, _visible(scope, schemas, seen), seen)
    return seen[id(ast)]
