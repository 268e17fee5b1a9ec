"""QUALIFY: a filter above the windows it looks at.

SELECT k FROM t QUALIFY row_number() OVER (PARTITION BY k ORDER BY x) = 1
SELECT k FROM (SELECT k, row_number() OVER (PARTITION BY k ORDER BY x) AS _q1 FROM t) WHERE _q1 = 1
"""

from __future__ import annotations

from sqlglot import exp

from trickle.query.rewrite.enclose import enclose, hide
from trickle.query.rewrite.sight import Sight


def filter_windows(query: exp.Query, _sight: Sight) -> None:
    """Compute what QUALIFY looks at as hidden columns, and filter by them."""
    clause = query.args.get("qualify")
    if clause is None or not isinstance(query, exp.Select):
        return
    hidden: dict[str, exp.Expr] = {}
    condition = hide(clause.this.copy(), hidden)
    query.set("qualify", None)
    enclose(query, hidden, condition)
