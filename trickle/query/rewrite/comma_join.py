"""PostgreSQL's comma binds less than JOIN; Spark reads both from left to right.

    SELECT … FROM a, b RIGHT JOIN c ON b.k = c.k
    SELECT … FROM b RIGHT JOIN c ON b.k = c.k CROSS JOIN a

A join that keeps rows of its right side must not see what stands before the comma, so its relations come first.
"""

from __future__ import annotations

from sqlglot import exp

from trickle.model.stream_table import Dialect
from trickle.query.rewrite.sight import Sight


def joins_before_commas(query: exp.Query, sight: Sight) -> None:
    """Order the parts between the commas of a FROM clause so that reading from left to right means the same."""
    joins: list[exp.Join] = query.args.get("joins") or []
    commas = [join for join in joins if is_comma(join)]
    if sight.table.dialect is not Dialect.POSTGRES or not commas:
        return
    parts = _parts(query.args["from_"].this, joins)
    keeping = [part for part in parts if any(join.side in ("RIGHT", "FULL") for join in part[1])]
    if len(keeping) > 1:
        sight.fail("two outer joins with a comma between them", keeping[1][1][0], "put one of them into a subquery")
    if keeping and keeping[0] is not parts[0]:
        if any(isinstance(node, exp.Lateral) for node, _ in parts):
            sight.fail("LATERAL beside an outer join after a comma", keeping[0][1][0], "put the join into a subquery")
        parts = [keeping[0], *(part for part in parts if part is not keeping[0])]
    first, *rest = [(node.copy(), [join.copy() for join in inner]) for node, inner in parts]
    query.set("from_", exp.From(this=first[0]))
    crossed = [join for node, inner in rest for join in (exp.Join(this=node, kind="CROSS"), *inner)]
    query.set("joins", [*first[1], *crossed])


def is_comma(join: exp.Join) -> bool:
    """Whether a join was written as a comma."""
    return not (join.method or join.side or join.kind or join.args.get("on") or join.args.get("using"))


def _parts(first: exp.Expr, joins: list[exp.Join]) -> list[tuple[exp.Expr, list[exp.Join]]]:
    parts: list[tuple[exp.Expr, list[exp.Join]]] = [(first, [])]
    for join in joins:
        if is_comma(join):
            parts.append((join.this, []))
        else:
            parts[-1][1].append(join)
    return parts
