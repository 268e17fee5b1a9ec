"""UNION BY NAME: the right side's columns in the left side's order, then by position.

SELECT k, x FROM a UNION ALL BY NAME SELECT x, k FROM b
SELECT k, x FROM a UNION ALL SELECT _right.k AS k, _right.x AS x FROM (SELECT x, k FROM b) AS _right
"""

from __future__ import annotations

from sqlglot import exp

from trickle.query.rewrite.sight import Sight


def by_position(query: exp.Query, sight: Sight) -> None:
    """Reorder the right side of one set operation."""
    if not isinstance(query, exp.SetOperation) or not query.args.get("by_name"):
        return
    left, right = ([c.name for c in sight.query(side)] for side in (query.this, query.expression))
    if not left or sorted(left) != sorted(right):
        sight.fail("the sides of UNION BY NAME have different columns", query.expression)
    items = [exp.alias_(exp.column(name, table="_right"), name) for name in left]
    side = query.expression
    inner = side.copy() if isinstance(side, exp.Subquery) else exp.Subquery(this=side.copy())
    inner.set("alias", exp.TableAlias(this=exp.to_identifier("_right")))
    query.set("expression", exp.select(*items).from_(inner))
    query.set("by_name", None)
