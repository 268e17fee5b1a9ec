"""GROUPING SETS, ROLLUP and CUBE: every row once for each set, the keys a set leaves out made NULL."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

from sqlglot import exp

from trickle.model.schema import Column
from trickle.query.lower.context import Context, refuse_other_arguments
from trickle.query.operators import Bindings, InnerJoin, Relation, Values, column
from trickle.query.tree import project

_SET = Column("grouping set", "int")


@dataclass
class GroupingSets:
    """Which of the written keys each set has; no sets where GROUP BY is plain."""

    sets: list[tuple[exp.Expr, ...]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.sets)

    def key(self, reference: exp.Expr, keys: list[exp.Expr]) -> exp.Expr:
        """A key above the aggregate."""
        if not self.sets:
            return reference.copy()
        return column(f"group {[k.name for k in keys].index(reference.name)}")

    def grouping(self, node: exp.Expr, written: list[exp.Expr], context: Context) -> exp.Expr:
        """GROUPING and GROUPING_ID: the keys that a set leaves out, as bits."""
        if not self.sets:
            raise context.wrong("GROUPING needs GROUPING SETS, ROLLUP or CUBE", node)
        asked = list(node.expressions) or written
        if any(e not in written for e in asked):
            raise context.wrong("GROUPING of something that is not a key", node)
        type_ = "tinyint" if node.key == "grouping" or node.name.lower() == "grouping" else "bigint"
        branches = [
            exp.If(
                this=exp.EQ(this=column(_SET.name), expression=exp.Literal.number(i)),
                true=exp.Literal.number(_bits(asked, one)),
            )
            for i, one in enumerate(self.sets)
        ]
        return exp.cast(exp.Case(ifs=branches), type_, dialect="spark")

    def expanded(self, below: Relation, keys: Bindings, context: Context) -> tuple[Relation, Bindings]:
        """Every row with each set's number, and the keys as that set sees them."""
        number = Column(context.fresh("set "), "int")
        numbers = Values((number,), tuple((exp.Literal.number(i),) for i in range(len(self.sets))))
        every = InnerJoin((below, numbers))
        seen: list[tuple[Column, exp.Expr]] = [(_SET, column(number.name))]
        for i, (c, reference) in enumerate(keys):
            seen.append((Column(f"group {i}", c.type), self._seen(reference, number.name)))
        kept = [(c, column(c.name)) for c in below.columns]
        relation = project(every, (*seen, *kept))
        return relation, tuple((c, column(c.name)) for c, _ in seen)

    members: dict[str, list[int]] = field(default_factory=dict)

    def _seen(self, reference: exp.Expr, number: str) -> exp.Expr:
        sets = self.members.get(reference.name)
        if sets is None or len(sets) == len(self.sets):
            return reference.copy()
        if not sets:
            inside: exp.Expr = exp.false()
        else:
            inside = exp.In(this=column(number), expressions=[exp.Literal.number(i) for i in sets])
        return exp.Case(ifs=[exp.If(this=inside, true=reference.copy())])


def _bits(asked: list[exp.Expr], present: tuple[exp.Expr, ...]) -> int:
    value = 0
    for e in asked:
        value = 2 * value + (e not in present)
    return value


def _listed(node: exp.Expr) -> tuple[exp.Expr, ...]:
    bare = node.unnest()
    return tuple(bare.expressions) if isinstance(bare, exp.Tuple) else (bare,)


def _rollup(items: list[tuple[exp.Expr, ...]]) -> list[tuple[exp.Expr, ...]]:
    return [tuple(e for item in items[:n] for e in item) for n in range(len(items), -1, -1)]


def _cube(items: list[tuple[exp.Expr, ...]]) -> list[tuple[exp.Expr, ...]]:
    chosen = product((True, False), repeat=len(items))
    return [tuple(e for item, take in zip(items, takes, strict=True) if take for e in item) for takes in chosen]


def _alternatives(node: exp.Expr) -> list[tuple[exp.Expr, ...]]:
    if isinstance(node, exp.Rollup):
        return _rollup([_listed(e) for e in node.expressions])
    if isinstance(node, exp.Cube):
        return _cube([_listed(e) for e in node.expressions])
    if isinstance(node, exp.GroupingSets):
        return [s for e in node.expressions for s in _alternatives(e)]
    return [_listed(node)]


def grouping_sets(select: exp.Select, context: Context) -> tuple[list[exp.Expr], GroupingSets]:
    """The written keys of GROUP BY, each once, and the sets they are grouped by."""
    group = select.args.get("group")
    if group is None:
        return [], GroupingSets()
    refuse_other_arguments(group, frozenset({"expressions", "rollup", "cube", "grouping_sets"}), context)
    plain = [_by_position(e, select) for e in group.expressions]
    several = [n for key in ("grouping_sets", "rollup", "cube") for n in group.args.get(key) or []]
    inline = [e for e in plain if isinstance(e, exp.Rollup | exp.Cube | exp.GroupingSets)]
    plain = [e for e in plain if e not in inline]
    if not several and not inline:
        return plain, GroupingSets()
    combined = product(*(_alternatives(n) for n in (*several, *inline)))
    sets = [
        tuple(dict.fromkeys((*plain, *(_by_position(e, select) for part in parts for e in part)))) for parts in combined
    ]
    keys = list(dict.fromkeys((*plain, *(_by_position(e, select) for n in (*several, *inline) for e in _keys(n)))))
    return ([], GroupingSets()) if sets == [()] else (keys, GroupingSets(sets))


def _keys(node: exp.Expr) -> list[exp.Expr]:
    """Every key a grouping clause names, in the order written."""
    if isinstance(node, exp.Rollup | exp.Cube | exp.GroupingSets):
        return [k for e in node.expressions for k in _keys(e)]
    return list(_listed(node))


def _by_position(expression: exp.Expr, select: exp.Select) -> exp.Expr:
    if isinstance(expression, exp.Literal) and expression.is_int:
        chosen: exp.Expr = select.selects[int(expression.name) - 1].unalias()
        return chosen
    return expression
