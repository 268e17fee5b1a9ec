"""Which CTEs are recursive."""

from __future__ import annotations

from sqlglot import exp


def reads_itself(cte: exp.CTE) -> bool:
    """Whether a CTE is recursive."""
    tables = (t for t in cte.this.find_all(exp.Table) if not t.db)
    return isinstance(cte.this, exp.Union) and any(t.name.lower() == cte.alias.lower() for t in tables)
