"""NATURAL JOIN and JOIN … USING: an ON clause, and the joined columns once.

    SELECT * FROM a FULL JOIN b USING (k)
    SELECT COALESCE(a.k, b.k) AS k, a.x, b.y FROM a FULL JOIN b ON a.k = b.k

The joined column comes from the left side, from the right one for a RIGHT JOIN, and from whichever has it for a FULL
JOIN. The other side's column can still be had by its qualified name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp
from sqlglot.optimizer.scope import walk_in_scope

from trickle.model.stream_table import Dialect
from trickle.query.rewrite.comma_join import is_comma
from trickle.query.rewrite.sight import Sight, excepted, members

Outputs = list[tuple[str, exp.Expr]]
"""Names and the expressions they stand for."""


@dataclass
class _Joined:
    """The relations joined so far: what a star gives, and what only a qualified name reaches."""

    outputs: Outputs = field(default_factory=list)
    hidden: Outputs = field(default_factory=list)
    merged: dict[str, exp.Expr] = field(default_factory=dict)

    def value(self, name: str) -> exp.Expr | None:
        return next((value for known, value in self.outputs if known == name), None)


def expand_using(query: exp.Query, sight: Sight) -> None:
    """Write out the joins of one SELECT, its stars, and each plain name of a joined column."""
    joins: list[exp.Join] = query.args.get("joins") or []
    if not isinstance(query, exp.Select) or not any(_by_name(join) for join in joins):
        return
    nodes = members(query)
    for node in nodes:
        _name(node, nodes)
    before = _Joined()
    joined = _Joined(_columns(nodes[0], sight))
    for join in joins:
        if _comma(join, sight):
            before = _beside(before, joined)
            joined = _Joined(_columns(join.this, sight))
        elif _by_name(join):
            joined = _merge(join, joined, sight)
        else:
            _refer(join.args.get("on"), joined.merged, sight)
            added = [] if _filters(join) else _columns(join.this, sight)
            joined = _beside(joined, _Joined(added))
    joined = _beside(before, joined)
    joined.outputs += [c for node in query.args.get("laterals") or [] for c in _columns(node, sight)]
    _expand_stars(query, joined, sight)
    _refer_in_clauses(query, joined.merged, sight)


def _by_name(join: exp.Join) -> bool:
    return bool(join.args.get("using")) or join.method == "NATURAL"


def _comma(join: exp.Join, sight: Sight) -> bool:
    """Whether a join is the comma of PostgreSQL, which binds less than JOIN; Spark's binds alike."""
    return sight.table.dialect is Dialect.POSTGRES and is_comma(join)


def _filters(join: exp.Join) -> bool:
    return join.kind in ("SEMI", "ANTI")


def _beside(left: _Joined, right: _Joined) -> _Joined:
    """Two sides joined otherwise; a joined column that the other side has as well needs a qualified name."""
    names = [{name for name, _ in side.outputs} for side in (left, right)]
    merged = {
        name: value for name, value in {**left.merged, **right.merged}.items() if not names[0] & names[1] & {name}
    }
    return _Joined(left.outputs + right.outputs, left.hidden + right.hidden, merged)


def _name(node: exp.Expr, nodes: Sequence[exp.Expr]) -> None:
    """Give a relation without a name one, so that its columns can be qualified."""
    if node.alias_or_name:
        return
    alias = node.args.get("alias") or exp.TableAlias()
    alias.set("this", exp.to_identifier(f"_j{nodes.index(node)}"))
    node.set("alias", alias)


def _columns(node: exp.Expr, sight: Sight) -> Outputs:
    found = sight.relation(node)
    if not found:
        sight.fail(f"the columns of {node.sql('spark')} are not known", node, "join it ON a condition")
    alias = node.alias_or_name
    return [(c.name, exp.column(c.name, table=alias)) for c in found]


def _merge(join: exp.Join, left: _Joined, sight: Sight) -> _Joined:
    """One join by column names: its condition, and what the two sides give together."""
    right = _Joined(_columns(join.this, sight))
    using: list[exp.Expr] = join.args.get("using") or []
    keys = [u.name for u in using] or _common(left.outputs, right.outputs)
    pairs = [(key, *_pair(key, left, right, join, sight)) for key in keys]
    conditions = [exp.EQ(this=a.copy(), expression=b.copy()) for _, a, b in pairs]
    join.set("on", exp.and_(*conditions) if conditions else exp.true())
    join.set("using", None)
    join.set("method", None)
    taken = [(key, _taken(join, a, b)) for key, a, b in pairs]
    rest = [o for o in left.outputs if not any(o[1] is a for _, a, _ in pairs)]
    merged = {**left.merged, **dict(taken)}
    if _filters(join):
        return _Joined(taken + rest, left.hidden, merged)
    rest += [o for o in right.outputs if not any(o[1] is b for _, _, b in pairs)]
    sides = [(key, value) for key, a, b in pairs for value in (a, b)]
    hidden = [o for o in sides if isinstance(o[1], exp.Column) and not any(o[1] is value for _, value in taken)]
    return _Joined(taken + rest, hidden + left.hidden, merged)


def _common(left: Outputs, right: Outputs) -> list[str]:
    there = {name for name, _ in right}
    return [name for name, _ in left if name in there]


def _pair(key: str, left: _Joined, right: _Joined, join: exp.Join, sight: Sight) -> tuple[exp.Expr, exp.Expr]:
    a, b = left.value(key), right.value(key)
    if a is None or b is None:
        sight.fail(f'column "{key}" of USING is not on both sides', join.this)
    if sight.table.dialect is Dialect.POSTGRES and sum(name == key for name, _ in left.outputs) > 1:
        sight.fail(f'column "{key}" is ambiguous', join.this, "join ON a condition")
    return a, b


def _taken(join: exp.Join, a: exp.Expr, b: exp.Expr) -> exp.Expr:
    if join.side == "FULL":
        return exp.Coalesce(this=a.copy(), expressions=[b.copy()])
    return b if join.side == "RIGHT" else a


def _expand_stars(select: exp.Select, joined: _Joined, sight: Sight) -> None:
    expanded: list[exp.Expr] = []
    for item in select.selects:
        if isinstance(item, exp.Star):
            expanded += _starred(item, joined.outputs)
        elif isinstance(item, exp.Column) and isinstance(item.this, exp.Star):
            expanded += _starred(item.this, _of_table(item.table, select, joined, sight))
        else:
            expanded.append(item)
    select.set("expressions", expanded)


def _of_table(alias: str, select: exp.Select, joined: _Joined, sight: Sight) -> Outputs:
    """`a.*`: Spark moves the joined columns to the front, PostgreSQL leaves them in their place."""
    if sight.table.dialect is Dialect.POSTGRES:
        node = next((n for n in members(select) if n.alias_or_name == alias), None)
        return _columns(node, sight) if node is not None else []
    return [o for o in joined.hidden + joined.outputs if isinstance(o[1], exp.Column) and o[1].table == alias]


def _starred(star: exp.Star, outputs: Outputs) -> Iterator[exp.Expr]:
    left_out = excepted(star)
    other = {e.alias: e.this for e in star.args.get("replace") or []}
    for name, value in outputs:
        if name not in left_out:
            yield exp.alias_(other.get(name, value).copy(), name)


def _refer_in_clauses(select: exp.Select, merged: Mapping[str, exp.Expr], sight: Sight) -> None:
    outputs = {item.alias_or_name for item in select.selects}
    for key, clause in select.args.items():
        if key in ("from_", "joins", "with_"):
            continue
        # ORDER BY means the output of a name where there is one
        names = {n: v for n, v in merged.items() if key != "order" or n not in outputs}
        for part in clause if isinstance(clause, list) else [clause]:
            if isinstance(part, exp.Expr):
                _refer(part, names, sight)


def _refer(node: exp.Expr | None, merged: Mapping[str, exp.Expr], sight: Sight) -> None:
    """Put what a joined column stands for in the place of its plain name."""
    if node is None or not merged:
        return
    for inner in list(walk_in_scope(node)):
        if isinstance(inner, exp.Column) and not inner.table and inner.name in merged:
            _replace(inner, merged[inner.name].copy())
        elif isinstance(inner, exp.Select) and inner is not node:
            _refer_from_subquery(inner, merged, sight)


def _replace(column: exp.Column, value: exp.Expr) -> None:
    plain = isinstance(value, exp.Column)
    if not plain and isinstance(column.parent, exp.Select):
        value = exp.alias_(value, column.name)
    elif not plain and isinstance(column.parent, exp.Struct):
        value = exp.PropertyEQ(this=exp.to_identifier(column.name), expression=value)
    for part in value.find_all(exp.Identifier):
        part.meta.update(column.this.meta)
    column.replace(value)


def _refer_from_subquery(select: exp.Select, merged: Mapping[str, exp.Expr], sight: Sight) -> None:
    """A subquery sees the joined columns too, unless its own relations have the name."""
    own = {c.name for node in members(select) for c in sight.relation(node)}
    names = {name: value for name, value in merged.items() if name not in own}
    for clause in select.args.values():
        for part in clause if isinstance(clause, list) else [clause]:
            if isinstance(part, exp.Expr):
                _refer(part, names, sight)
