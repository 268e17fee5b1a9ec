"""unnest(array) beside other relations: a lateral explode, which always says what its columns are called.

SELECT t.k, e FROM t CROSS JOIN unnest(t.tags) AS u(e)
SELECT t.k, e FROM t CROSS JOIN LATERAL EXPLODE(t.tags) AS u(e)
"""

from __future__ import annotations

from sqlglot import exp

from trickle.query.rewrite.sight import Sight, members


def explode_laterally(query: exp.Query, sight: Sight) -> None:
    """Write each joined unnest of a SELECT as Spark does, and name the columns of explode."""
    if not isinstance(query, exp.Select):
        return
    for node in members(query):
        if isinstance(node, exp.Unnest) and isinstance(node.parent, exp.Join):
            node.replace(_exploded(node, sight))
        elif isinstance(node, exp.Lateral) and isinstance(node.this, exp.Explode):
            _name(node)


def _exploded(node: exp.Unnest, sight: Sight) -> exp.Lateral:
    if len(node.expressions) != 1 or node.args.get("offset"):
        sight.fail("unnest of several arrays or WITH ORDINALITY", node, "use the spark dialect's posexplode")
    alias = node.args.get("alias") or exp.TableAlias(this=exp.to_identifier("unnest"))
    if not alias.columns:
        # the column of a function with one column is called like its alias
        alias.set("columns", [alias.this.copy()])
    return exp.Lateral(this=exp.Explode(this=node.expressions[0].copy()), view=False, outer=False, alias=alias.copy())


def _name(node: exp.Lateral) -> None:
    alias = node.args.get("alias") or exp.TableAlias(this=exp.to_identifier("_exploded"))
    if not alias.columns:
        names = ["pos", "col"] if isinstance(node.this, exp.Posexplode) else ["col"]
        alias.set("columns", [exp.to_identifier(name) for name in names])
    node.set("alias", alias)
