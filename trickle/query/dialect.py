"""Spark SQL as Spark reads it, where sqlglot's own Spark dialect would hand back a query with another meaning.

Spark writes a quote inside text by doubling it; sqlglot takes `'it''s'` for two texts side by side. And some functions
do not survive the way through sqlglot's tree (LOG10 becomes a logarithm to base 10, which rounds differently; TO_CHAR a
cast; DATE_TRUNC a unit it cannot read from a column), so they are kept as they are called.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.parsers.spark import SparkParser

_AS_CALLED = frozenset(
    {"ARRAY_SIZE", "DATE_FORMAT", "DATE_SUB", "DATE_TRUNC", "LOG10", "LOG2", "MAX_BY", "MIN_BY", "PARSE_JSON",
     "PERCENTILE", "TO_CHAR", "TO_NUMBER", "TO_VARCHAR", "TRUNC", "TRY_PARSE_JSON", "UNIX_DATE"}
)  # fmt: skip


class SparkText(Spark):
    """Reads a stream table's text; what it reads is written with sqlglot's Spark dialect."""

    class Tokenizer(Spark.Tokenizer):
        STRING_ESCAPES = ["\\", "'", '"']  # noqa: RUF012 as sqlglot declares it

    class Parser(SparkParser):
        FUNCTIONS = {n: f for n, f in SparkParser.FUNCTIONS.items() if n not in _AS_CALLED}  # noqa: RUF012 likewise
        FUNCTION_PARSERS = {  # noqa: RUF012 likewise
            n: f for n, f in SparkParser.FUNCTION_PARSERS.items() if n not in _AS_CALLED
        }


def explicit(query: exp.Query) -> exp.Query:
    """Write out defaults that sqlglot would fill in differently: LISTAGG puts nothing between values."""
    for node in query.find_all(exp.GroupConcat):
        if node.args.get("separator") is None:
            node.set("separator", exp.Literal.string(""))
    return query
