"""HAVING that looks an aggregate up in a subquery: a filter above the groups, so that the aggregate is a column.

SELECT k FROM t GROUP BY k HAVING sum(x) > ALL (SELECT v FROM s)
SELECT k FROM (SELECT k, sum(x) AS _q1 FROM t GROUP BY k) WHERE _q1 > ALL (SELECT v FROM s)
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.optimizer.scope import find_in_scope, walk_in_scope

from trickle.query.rewrite.enclose import enclose, hide
from trickle.query.rewrite.sight import Sight, members


def filter_groups(query: exp.Query, _sight: Sight) -> None:
    """Move such a condition above the groups, unless windows come after it or its subquery reads the groups."""
    having = query.args.get("having")
    if having is None or not isinstance(query, exp.Select) or not _looks_up(having):
        return
    own = {node.alias_or_name for node in members(query)}
    inner = [q for q in walk_in_scope(having) if isinstance(q, exp.Select | exp.SetOperation)]
    correlated = any(c.table in own for q in inner for c in q.find_all(exp.Column))
    if correlated or any(find_in_scope(item, exp.Window) for item in query.selects):
        return
    hidden: dict[str, exp.Expr] = {}
    condition = hide(having.this.copy(), hidden)
    query.set("having", None)
    enclose(query, hidden, condition)


def _looks_up(having: exp.Expr) -> bool:
    """Whether an aggregate is compared with the rows of a subquery."""
    for node in walk_in_scope(having):
        member = isinstance(node, exp.In) and node.args.get("query")
        quantified = isinstance(node, exp.Binary) and isinstance(node.expression, exp.Any | exp.All)
        if (member or quantified) and find_in_scope(node.this, exp.AggFunc):
            return True
    return False
