"""FROM and JOIN: scans, subqueries, CTEs, VALUES and row functions under their aliases, joined in the order written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sqlglot import exp

from trickle.model.schema import Column
from trickle.query.functions import is_generator
from trickle.query.lower.block import Block
from trickle.query.lower.context import Context, refuse_other_arguments
from trickle.query.lower.correlation import domain_of, free_columns, key_of, same_member
from trickle.query.lower.expression import conjuncts, has_subquery, names_of
from trickle.query.lower.generator import explode, generated_columns
from trickle.query.lower.recursion import recursion
from trickle.query.operators import (
    AntiJoin,
    Explode,
    InnerJoin,
    OuterJoin,
    Relation,
    Scan,
    SemiJoin,
    UnionAll,
    Values,
    column,
    nulls,
)
from trickle.query.recursive import reads_itself
from trickle.query.tree import project
from trickle.query.types import infer, widest

_TABLE = frozenset({"this", "db", "catalog", "alias"})
_SUBQUERY = frozenset({"this", "alias", "lateral"})
_JOIN = frozenset({"this", "on", "side", "kind", "method", "hint"})
_READING = ("expressions", "joins", "laterals", "where", "group", "having", "qualify", "order")


def _check_type(c: Column, node: exp.Expr, context: Context) -> None:
    kind = next((k for k in ("map<", "variant") if k in c.type), "")
    if kind:
        raise context.refuse(f'column "{c.name}" of type {kind.rstrip("<").upper()}', node)


def _alias(node: exp.Expr, context: Context) -> str:
    alias = node.alias_or_name
    if "." in alias:
        raise context.refuse(f'table alias "{alias}" with a dot', node)
    return alias


def _used(select: exp.Select, alias: str) -> set[str]:
    clauses = [e for key in _READING for e in _listed(select.args.get(key))]
    columns = [c for clause in clauses for c in clause.find_all(exp.Column)]
    return {c.name.lower() for c in columns if c.table.lower() == alias.lower()}


def _listed(clause: exp.Expr | list[exp.Expr] | None) -> list[exp.Expr]:
    return clause if isinstance(clause, list) else [clause] if clause is not None else []


def _scan(node: exp.Table, select: exp.Select, context: Context) -> Scan:
    """The columns the query uses of a stored relation, and at least one."""
    wanted = (node.db.lower(), node.name.lower())
    name = next(n for n in context.schemas if (n.schema.lower(), n.table.lower()) == wanted)
    alias, stored = _alias(node, context), context.schemas[name].columns
    used = _used(select, alias)
    kept = [c for c in stored if c.name.lower() in used] or list(stored[:1])
    for c in kept:
        _check_type(c, node, context)
    columns = tuple(Column(f"{alias}.{c.name}", c.type, c.nullable) for c in kept)
    unread = tuple(c.name for c in stored if c not in kept)
    return Scan(name, tuple(c.name for c in kept), columns, unread=unread)


def under_alias(relation: Relation, alias: str, renamed: Sequence[str] = ()) -> Relation:
    """A subquery's columns, named as its alias says."""
    names = [*renamed, *(c.name for c in relation.columns[len(renamed) :])]
    return project(
        relation,
        tuple(
            (replace(c, name=f"{alias}.{name}"), column(c.name))
            for c, name in zip(relation.columns, names, strict=True)
        ),
    )


def _column_aliases(node: exp.Expr) -> list[str]:
    alias = node.args.get("alias")
    return [c.name for c in alias.columns] if isinstance(alias, exp.TableAlias) else []


def _values(node: exp.Values, context: Context) -> Relation:
    rows = [tuple(e.expressions) if isinstance(e, exp.Tuple) else (e,) for e in node.expressions]
    names = _column_aliases(node) or [f"col{i + 1}" for i in range(len(rows[0]))]
    types = [widest(infer(row[i], ()) for row in rows) for i in range(len(names))]
    columns = tuple(Column(f"{_alias(node, context)}.{n}", t) for n, t in zip(names, types, strict=True))
    if not all(types):
        raise context.refuse("VALUES whose types are not certain", node)
    for value in (value for row in rows for value in row):
        Block(context).resolve(value)
    return Values(columns, tuple(tuple(e.copy() for e in row) for row in rows))


class FromClause:
    """Joins one relation after another."""

    def __init__(self, select: exp.Select, context: Context) -> None:
        self.select = select
        self.context = context
        self.block = Block(context)

    # -- relations ------------------------------------------------------------------------------------------

    def relation(self, node: exp.Expr) -> Relation:
        """A relation that stands in FROM by itself."""
        if isinstance(node, exp.Table):
            return self._table(node)
        if isinstance(node, exp.Subquery):
            refuse_other_arguments(node, _SUBQUERY, self.context)
            return self._subquery(node.this, node)
        if isinstance(node, exp.Values):
            return _values(node, self.context)
        raise self.context.refuse(f"{node.key.upper()} in FROM", node)

    def _table(self, node: exp.Table) -> Relation:
        refuse_other_arguments(node, _TABLE, self.context)
        if not isinstance(node.this, exp.Identifier):
            raise self.context.refuse("table function", node)
        if node.db:
            if _column_aliases(node):
                raise self.context.refuse("column aliases of a table", node)
            return _scan(node, self.select, self.context)
        if node.name in self.context.loops:
            return under_alias(self.context.loops[node.name], _alias(node, self.context), _column_aliases(node))
        query, written_in = self.context.ctes[node.name]
        cte = query.parent
        outside = next(iter(free_columns(query).values()), None)
        if outside is not None:
            raise self.context.refuse("CTE that reads a column of the query around it", outside)
        if isinstance(query, exp.Union) and isinstance(cte, exp.CTE) and reads_itself(cte):
            relation = recursion(node.name, query, _column_aliases(cte), written_in)
        else:
            relation = self.context.lower(query, written_in).relation
        return under_alias(relation, _alias(node, self.context), _column_aliases(node))

    def _subquery(self, query: exp.Expr, node: exp.Expr) -> Relation:
        """A subquery in FROM; where it reads outer columns, it is asked for the same members as this block."""
        alias, domain = _alias(node, self.context), self.context.domain
        outside = {key for key in free_columns(query) if domain and key in domain.names}
        if not outside or domain is None:
            return under_alias(
                self.context.lower(query, self.context.inside(None)).relation, alias, _column_aliases(node)
            )
        lowered = self.context.lower(query, self.context.inside(domain)).relation
        self.block.closed = True
        named = under_alias(lowered, alias, _column_aliases(node))
        last = named.columns[len(named.columns) - len(domain.columns) :]
        self.block.on += [
            exp.NullSafeEQ(this=column(c.name), expression=column(d.name))
            for c, d in zip(last, domain.columns, strict=True)
        ]
        return named

    # -- joins ----------------------------------------------------------------------------------------------

    def add(self, relation: Relation) -> None:
        self.block.parts.append(relation)
        self.block.names.update(names_of([relation]))

    def join(self, join: exp.Join) -> None:
        refuse_other_arguments(join, _JOIN, self.context)
        if isinstance(join.this, exp.Lateral | exp.Unnest):
            self._lateral(join)
            return
        relation = self.relation(join.this)
        conditions = list(conjuncts(join.args["on"])) if join.args.get("on") else []
        if join.side or join.kind in ("SEMI", "ANTI"):
            self._check_open(join)
        words = {w for w in (join.method, join.side, join.kind) if w} - {"OUTER"}
        if words <= {"INNER", "CROSS"}:
            self.add(relation)
            self._inner(conditions)
        else:
            self._kinds(words, join)(relation, conditions)

    def _check_open(self, node: exp.Expr) -> None:
        """A FROM clause whose subquery waits for the domain can be joined only by inner joins."""
        if self.block.closed:
            raise self.context.refuse("correlated subquery in FROM beside another kind of join", node)

    def _inner(self, conditions: list[exp.Expr]) -> None:
        plain = [c for c in conditions if not has_subquery(c) and self._known(c)]
        self.block.on += [self.block.resolve(c) for c in plain]
        self.block.later += [c for c in conditions if c not in plain]

    def _known(self, condition: exp.Expr) -> bool:
        return all(key_of(c) in self.block.names for c in condition.find_all(exp.Column))

    def _kinds(self, words: set[str], join: exp.Join) -> Callable[[Relation, list[exp.Expr]], None]:
        kinds = {
            frozenset({"LEFT"}): self._left,
            frozenset({"RIGHT"}): self._right,
            frozenset({"FULL"}): self._full,
            frozenset({"LEFT", "SEMI"}): self._semi,
            frozenset({"SEMI"}): self._semi,
            frozenset({"LEFT", "ANTI"}): self._anti,
            frozenset({"ANTI"}): self._anti,
        }
        chosen = kinds.get(frozenset(words))
        if chosen is None:
            raise self.context.refuse(f"{' '.join(sorted(words))} JOIN", join)
        return chosen

    def _left(self, right: Relation, conditions: list[exp.Expr]) -> None:
        left, right, on = self._sides(right, conditions)
        self.block.become(OuterJoin(left, right, on))

    def _right(self, right: Relation, conditions: list[exp.Expr]) -> None:
        self._filter_before()
        left, right, on = self._sides(right, conditions)
        self.block.become(OuterJoin(right, left, on))

    def _full(self, right: Relation, conditions: list[exp.Expr]) -> None:
        self._filter_before()
        left, right, on = self._sides(right, conditions)
        theirs = tuple((c, column(c.name)) for c in right.columns)
        bindings = (*nulls(left.columns), *theirs)
        # a union has the columns of its first input, and here every column may be NULL
        unmatched = project(AntiJoin(right, left, on), tuple((replace(c, nullable=True), e) for c, e in bindings))
        self.block.become(UnionAll((unmatched, OuterJoin(left, right, on))))

    def _filter_before(self) -> None:
        """Conditions of inner joins that waited for the end hold before a join that keeps rows of its right side."""
        for condition in self.block.later:
            if not all(key in self.block.names for key in free_columns(condition)):
                raise self.context.refuse("condition over another query before an outer join", condition)
        waiting, self.block.later = self.block.later, []
        self.block.where(waiting)

    def _semi(self, right: Relation, conditions: list[exp.Expr]) -> None:
        before = dict(self.block.names)
        left, right, on = self._sides(right, conditions)
        self.block.become(SemiJoin(left, right, on))
        self.block.names = before

    def _anti(self, right: Relation, conditions: list[exp.Expr]) -> None:
        before = dict(self.block.names)
        left, right, on = self._sides(right, conditions)
        self.block.become(AntiJoin(left, right, on))
        self.block.names = before

    def _sides(self, right: Relation, conditions: list[exp.Expr]) -> tuple[Relation, Relation, tuple[exp.Expr, ...]]:
        """Both sides of a join that keeps rows, and its condition; a subquery in it belongs to one side."""
        own = Block(self.context, [right], names=names_of([right]))
        ready = [self._prepared(c, own) for c in conditions]
        left = self.block.relation
        names = {**self.block.names, **own.names}
        both = Block(self.context, [left, own.relation], names=names)
        on = tuple(both.resolve(c) for c in ready)
        self.block.names = names
        return left, own.relation, on

    def _prepared(self, condition: exp.Expr, right: Block) -> exp.Expr:
        if not has_subquery(condition):
            return condition
        for side in (right, self.block):
            if all(key_of(c) in side.names for c in free_columns(condition).values()):
                name = self.context.fresh("value")
                value = side.value(condition)
                relation = side.relation
                kept = tuple((c, column(c.name)) for c in relation.columns)
                side.become(project(relation, (*kept, (Column(name, "boolean"), value))))
                side.names["", name.lower()] = name
                return column(name)
        raise self.context.refuse("subquery over both sides in the condition of an outer join", condition)

    # -- LATERAL --------------------------------------------------------------------------------------------

    def _lateral(self, join: exp.Join) -> None:
        outer = join.side == "LEFT"
        node = join.this
        inner = node.this if isinstance(node, exp.Lateral) else node
        if isinstance(inner, exp.Subquery):
            self._lateral_query(inner.this, node, join)
        elif isinstance(inner, exp.Unnest) or is_generator(inner):
            conditions = list(conjuncts(join.args["on"])) if join.args.get("on") else []
            if outer and any(c != exp.true() for c in conditions):
                raise self.context.refuse("LEFT JOIN with a function that yields rows, on a condition", node)
            self.generator(node, outer=outer)
            self._inner([] if outer else conditions)
        else:
            raise self.context.refuse("LATERAL of this kind", node)

    def _lateral_query(self, query: exp.Expr, node: exp.Expr, join: exp.Join) -> None:
        """A subquery over each row before it: lowered for all of them at once, then joined on what it read."""
        self._check_open(node)
        values = {key: column(name) for key, name in self.block.names.items()}
        free = {key: c for key, c in free_columns(query).items() if key in values}
        alias = _alias(node, self.context)
        conditions = list(conjuncts(join.args["on"])) if join.args.get("on") else []
        if len(free) < len(free_columns(query)):
            raise self.context.refuse("LATERAL subquery that reads two queries around it", node)
        if not free:
            relation = self.context.lower(query, self.context.inside(None)).relation
            same: tuple[exp.Expr, ...] = ()
        else:
            domain = domain_of(free, self.block.relation, values, self.context)
            relation = self.context.lower(query, self.context.inside(domain)).relation
            same = same_member(domain, values)
        width = len(relation.columns) - len(same)
        names = _column_aliases(node)
        renamed = [
            replace(c, name=f"{alias}.{names[i] if i < len(names) else c.name}" if i < width else c.name)
            for i, c in enumerate(relation.columns)
        ]
        found = project(relation, tuple((r, column(c.name)) for r, c in zip(renamed, relation.columns, strict=True)))
        left = self.block.relation
        self.block.names.update(names_of([project(found, tuple((r, column(r.name)) for r in renamed[:width]))]))
        on = (*same, *(Block(self.context, [left, found], names=self.block.names).resolve(c) for c in conditions))
        self.block.become(OuterJoin(left, found, on) if join.side == "LEFT" else InnerJoin((left, found), on))

    def generator(self, node: exp.Expr, *, outer: bool) -> None:
        """LATERAL VIEW, or a function that yields rows in FROM."""
        self._check_open(node)
        call, always = explode(node, self.context)
        generator = self.block.resolve_arguments(call)
        relation = self.block.relation
        alias = _alias(node, self.context)
        types = generated_columns(generator, relation.columns, _column_aliases(node), self.context)
        produced = tuple(Column(f"{alias}.{name}", type_) for name, type_ in types)
        self.block.become(Explode(relation, generator, produced, outer=outer or always))
        self.block.names.update({(alias.lower(), name.lower()): f"{alias}.{name}" for name, _ in types})


def from_clause(select: exp.Select, context: Context) -> Block:
    """The joined relations, the conditions that join them, and how expressions name their columns."""
    clause = FromClause(select, context)
    source = select.args.get("from_")
    if source is None:
        clause.block.parts.append(Values((Column(context.fresh("row"), "int"),), ((exp.Literal.number(1),),)))
    elif isinstance(source.this, exp.Lateral | exp.Unnest):
        raise context.refuse("row function alone in FROM", source.this)
    else:
        clause.add(clause.relation(source.this))
    for join in select.args.get("joins") or []:
        clause.join(join)
    for lateral in select.args.get("laterals") or []:
        clause.generator(lateral, outer=bool(lateral.args.get("outer")))
    return clause.block
