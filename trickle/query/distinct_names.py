"""Give names that sqlglot would confuse names of their own: shadowed CTEs, and semi joins aliased like a column."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp
from sqlglot.optimizer.scope import traverse_scope

from trickle.query.parse import Schemas


def distinct_names(ast: exp.Query, schemas: Schemas) -> exp.Query:
    """The same query in which every CTE has its own name, and no semi or anti join is called like a column.

    sqlglot lifts nested WITH clauses to the top for Spark, where two CTEs of one name would meet, and takes the alias
    of a semi join for a struct when a column has its name.
    """
    ast = ast.copy()
    _rename_shadowing_ctes(ast)
    columns = {c.name.lower() for schema in schemas.values() for c in schema.columns}
    for join in ast.find_all(exp.Join):
        if join.kind in ("SEMI", "ANTI") and join.this.alias_or_name.lower() in columns:
            _rename_joined(join, columns | _names(ast.find_all(exp.TableAlias, exp.Table)))
    return ast


def _names(nodes: Iterable[exp.Expr]) -> set[str]:
    return {node.name.lower() for node in nodes}


def _free(name: str, taken: set[str]) -> str:
    number = 2
    while f"{name}_{number}".lower() in taken:
        number += 1
    return f"{name}_{number}"


def _rename_shadowing_ctes(ast: exp.Query) -> None:
    taken = {cte.alias.lower() for cte in ast.find_all(exp.CTE)} | _names(ast.find_all(exp.Table))
    readers = _readers(ast)
    seen: set[str] = set()
    for cte in ast.find_all(exp.CTE):
        if cte.alias.lower() in seen:
            name = _free(cte.alias, taken)
            taken.add(name.lower())
            for table in readers.get(id(cte), []):
                table.set("alias", table.args.get("alias") or exp.TableAlias(this=table.this.copy()))
                table.this.set("this", name)
            cte.args["alias"].this.set("this", name)
        seen.add(cte.alias.lower())


def _readers(ast: exp.Query) -> dict[int, list[exp.Table]]:
    """The table references that mean each CTE, as scopes resolve them."""
    found: dict[int, list[exp.Table]] = {}
    for scope in traverse_scope(ast):
        for node, source in scope.selected_sources.values():
            if isinstance(node, exp.Table) and not isinstance(source, exp.Table) and source.is_cte:
                found.setdefault(id(source.expression.parent), []).append(node)
    return found


def _rename_joined(join: exp.Join, taken: set[str]) -> None:
    old = join.this.alias_or_name
    new = _free(old, taken)
    alias = join.this.args.get("alias") or exp.TableAlias()
    alias.set("this", exp.to_identifier(new))
    join.this.set("alias", alias)
    for column in join.args["on"].find_all(exp.Column) if join.args.get("on") else ():
        if column.table.lower() == old.lower():
            column.set("table", exp.to_identifier(new))
