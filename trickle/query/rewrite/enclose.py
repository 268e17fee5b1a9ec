"""A SELECT put into a derived table, so that a filter can stand above its windows.

SELECT k AS k, f(x) AS y FROM t ORDER BY z LIMIT 3
SELECT _rows.k AS k, _rows.y AS y FROM (SELECT k AS k, f(x) AS y, z AS _o1 FROM t) AS _rows ORDER BY _rows._o1 LIMIT 3
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

_MOVED = ("with_", "order", "limit", "offset", "distinct")
ROWS = "_rows"


def of_rows(name: str) -> exp.Column:
    """A column of the derived table."""
    return exp.column(name, table=ROWS, quoted=True)


def enclose(select: exp.Select, hidden: Mapping[str, exp.Expr], condition: exp.Expr) -> None:
    """Make a qualified SELECT the rows of its inner self, with hidden columns, that meet a condition on these."""
    moved = {key: select.args.get(key) for key in _MOVED}
    inner = exp.Select(**{key: value for key, value in select.args.items() if key not in _MOVED})
    outputs = [exp.alias_(of_rows(item.alias_or_name), item.args["alias"].copy()) for item in inner.selects]
    ordering = _ordering(inner, moved["order"])
    extra = [exp.alias_(value.copy(), name, quoted=True) for name, value in {**hidden, **ordering}.items()]
    inner.set("expressions", [*inner.selects, *extra])
    alias = exp.TableAlias(this=exp.to_identifier(ROWS, quoted=True))
    for key in list(select.args):
        select.set(key, None)
    for key, value in moved.items():
        select.set(key, value)
    select.set("expressions", outputs)
    select.set("from_", exp.From(this=exp.Subquery(this=inner, alias=alias)))
    select.set("where", exp.Where(this=condition))


def output_value(select: exp.Select, node: exp.Expr) -> exp.Expr:
    """What an ORDER BY key stands for: a plain name means an output."""
    if isinstance(node, exp.Column) and not node.table:
        found = next((item for item in select.selects if item.alias_or_name == node.name), None)
        return found.unalias() if found is not None else node
    return node


def _ordering(inner: exp.Select, order: exp.Order | None) -> dict[str, exp.Expr]:
    """Point the keys of an ORDER BY at the derived table; those that are no outputs become hidden columns."""
    hidden: dict[str, exp.Expr] = {}
    for number, ordered in enumerate(order.expressions if order is not None else (), start=1):
        value = output_value(inner, ordered.this)
        name = next((item.alias_or_name for item in inner.selects if item.unalias() == value), "")
        if not name:
            name = f"_o{number}"
            hidden[name] = value
        ordered.set("this", of_rows(name))
    return hidden


def hide(condition: exp.Expr, hidden: dict[str, exp.Expr]) -> exp.Expr:
    """The condition with hidden columns in place of its windows, aggregates and columns."""
    root = exp.Paren(this=condition)
    stack: list[exp.Expr] = [condition]
    while stack:
        node = stack.pop()
        if isinstance(node, exp.Window | exp.Filter | exp.AggFunc | exp.Column):
            name = next((n for n, value in hidden.items() if value == node), f"_q{len(hidden) + 1}")
            hidden.setdefault(name, node.copy())
            node.replace(of_rows(name))
        else:
            stack += [child for child in node.iter_expressions() if not isinstance(child, exp.Query)]
    found: exp.Expr = root.this
    return found
