"""UNPIVOT: a UNION ALL with one branch for each column that becomes rows.

SELECT * FROM t UNPIVOT (v FOR name IN (a, b AS bb))
SELECT * FROM (SELECT k, 'a' AS name, a AS v FROM t WHERE a IS NOT NULL UNION ALL SELECT k, 'bb', b …) AS t
"""

from __future__ import annotations

from functools import reduce

from sqlglot import exp

from trickle.query.rewrite.pivot import bare_source, pivot_alias
from trickle.query.rewrite.sight import Sight, members


def expand_unpivots(query: exp.Query, sight: Sight) -> None:
    """Replace each unpivoted relation of a FROM clause by a subquery with its alias."""
    if not isinstance(query, exp.Select):
        return
    for node in members(query):
        for pivot in node.args.get("pivots") or []:
            if pivot.args.get("unpivot"):
                node = _unpivoted(node, pivot, sight)


def _listed(node: exp.Expr) -> list[exp.Expr]:
    return node.expressions if isinstance(node, exp.Tuple) else [node]


def _unpivoted(node: exp.Expr, pivot: exp.Expr, sight: Sight) -> exp.Expr:
    source, columns = bare_source(node, sight)
    [field] = pivot.args["fields"]
    used = {c.name for c in field.find_all(exp.Column)}
    kept = [exp.column(c.name, table=source.alias_or_name) for c in columns if c.name not in used]
    names = [i.name for i in _listed(pivot.expressions[0])]
    branches = [
        _branch(item, field.this.name, names, kept, bool(pivot.args.get("include_nulls"))) for item in field.expressions
    ]
    selects: list[exp.Query] = [branch.from_(source.copy()) for branch in branches]
    union = reduce(lambda a, b: exp.Union(this=a, expression=b, distinct=False), selects)
    return node.replace(exp.Subquery(this=union, alias=pivot_alias(node, pivot)))


def _branch(item: exp.Expr, label: str, names: list[str], kept: list[exp.Column], nulls: bool) -> exp.Select:
    value = item.this if isinstance(item, exp.PivotAlias) else item
    columns = _listed(value)
    called = item.args["alias"].name if isinstance(item, exp.PivotAlias) else "_".join(c.name for c in columns)
    items = [exp.alias_(k.copy(), k.name) for k in kept]
    items.append(exp.alias_(exp.Literal.string(called), label))
    items += [exp.alias_(c.copy(), name) for c, name in zip(columns, names, strict=True)]
    select = exp.select(*items)
    if nulls:
        return select
    # a row stays when one of its values is there
    present = [exp.Not(this=exp.Is(this=c.copy(), expression=exp.null())) for c in columns]
    return select.where(exp.or_(*present))
