"""What every clause needs while a query is lowered: the table, its inputs, the CTEs in sight."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from trickle.errors import NotDifferentiableError, ProjectError
from trickle.model.stream_table import StreamTable
from trickle.query.location import of_node, snippet
from trickle.query.parse import Schemas


@dataclass(frozen=True, slots=True)
class Context:
    """Where lowering stands; a CTE is kept with the context it was written in."""

    table: StreamTable
    schemas: Schemas
    ctes: Mapping[str, tuple[exp.Query, Context]] = field(default_factory=dict)

    def with_cte(self, name: str, query: exp.Query) -> Context:
        return replace(self, ctes={**self.ctes, name: (query, self)})

    def refuse(self, construct: str, node: exp.Expr, keyword: str = "") -> NotDifferentiableError:
        return NotDifferentiableError(construct, location=of_node(self.table, node, keyword))

    def wrong(self, what: str, node: exp.Expr, hint: str = "") -> ProjectError:
        location = of_node(self.table, node)
        message = f'stream table "{self.table.name}": {what}'
        return ProjectError(message, location=location, snippet=snippet(self.table, location), hint=hint)


def refuse_other_arguments(node: exp.Expr, understood: frozenset[str], context: Context) -> None:
    """A clause nobody has thought about is refused, not ignored."""
    for key, value in node.args.items():
        if value and key not in understood:
            inner = value if isinstance(value, exp.Expr) else node
            raise context.refuse(_CLAUSES.get(key, f"{key.rstrip('_').upper()} clause"), inner, _KEYWORDS.get(key, ""))


_CLAUSES = {
    "limit": "LIMIT",
    "offset": "OFFSET",
    "laterals": "LATERAL VIEW",
    "qualify": "QUALIFY",
    "windows": "WINDOW clause",
    "sample": "TABLESAMPLE",
    "pivots": "PIVOT",
    "joins": "join in parentheses",
    "sort": "SORT BY",
    "distribute": "DISTRIBUTE BY",
    "cluster": "CLUSTER BY",
    "by_name": "UNION BY NAME",
}
_KEYWORDS = {"limit": "limit", "offset": "offset", "qualify": "qualify"}
