"""Spark SQL as Spark reads it, where sqlglot's own Spark dialect would hand back a query with another meaning.

Spark writes a quote inside text by doubling it; sqlglot takes `'it''s'` for two texts side by side. And many functions
do not survive the way through sqlglot's tree (LOG10 becomes a logarithm to base 10, which rounds differently; TO_CHAR a
cast; INSTR loses its occurrence): a call that would not be written the way it was read is kept as it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.errors import ErrorLevel
from sqlglot.parsers.spark import SparkParser
from sqlglot.tokenizer_core import Token, TokenType

_Builder = Callable[..., exp.Expr]

_AS_CALLED = frozenset(
    {"ARRAY_SIZE", "BIT_GET", "CHAR", "CHR", "DATE_FORMAT", "DATE_SUB", "DATE_TRUNC", "DECODE",
     "INITCAP", "LOG10", "LOG2", "MAX_BY", "MIN_BY", "PARSE_JSON", "PERCENTILE", "PERCENTILE_CONT",
     "PERCENTILE_DISC", "TO_CHAR", "TO_NUMBER", "TO_VARCHAR", "TRUNC", "TRY_PARSE_JSON", "UNIX_DATE"}
)  # fmt: skip

_SYNONYMS = frozenset(
    {"ARRAY_AGG", "CEILING", "CHAR_LENGTH", "CHARACTER_LENGTH", "DATEADD", "DATE_DIFF", "IFNULL", "LCASE", "LEN", "NVL",
     "POW", "REDUCE", "SHA1", "SIGNUM", "SUBSTR", "UCASE", "VAR_SAMP",
     "CURDATE", "CURRENT_DATE", "RANDOM",
     "BIGINT", "BINARY", "BOOLEAN", "DATE", "DECIMAL", "DOUBLE", "FLOAT", "INT", "SMALLINT", "STRING", "TIMESTAMP",
     "TINYINT", "DIV", "ILIKE", "LIKE", "MOD", "NAMED_STRUCT", "REGEXP_LIKE", "RLIKE", "STRUCT"}
)  # fmt: skip
"""Calls that sqlglot writes with another name or sign of the same meaning."""

_SAME: dict[str, type[exp.Func]] = {
    "ANY": exp.LogicalOr, "SOME": exp.LogicalOr, "EVERY": exp.LogicalAnd, "MEAN": exp.Avg, "STD": exp.Stddev,
}  # fmt: skip
"""Second names that sqlglot does not know."""

_MOST = {"CHAR_LENGTH": 1, "CHARACTER_LENGTH": 1, "LEN": 1, "IFNULL": 2, "NVL": 2, "LIKE": 2, "ILIKE": 2, "INSTR": 2}
"""How many arguments a call may have before its synonym would lose one."""


_UNITS = frozenset({"DATEADD", "DATEDIFF", "DATE_ADD", "DATE_DIFF", "TIMESTAMPADD", "TIMESTAMPDIFF"})
"""Functions whose first argument may be a unit of time, which is no column."""

_WITH_UNIT = 3

_NULLS = frozenset({"ANY_VALUE", "FIRST", "FIRST_VALUE", "LAST", "LAST_VALUE"})
"""Aggregates whose second argument tells whether they ignore NULL."""


def _built(builder: _Builder, arguments: list[exp.Expr]) -> exp.Expr:
    try:
        return builder(arguments)
    except TypeError:
        return builder(arguments, dialect=Spark())


def _faithful(name: str, builder: _Builder, arguments: list[exp.Expr], **_: Any) -> exp.Expr:
    """The call as sqlglot understands it, if Spark then gets to read what was written."""
    called = exp.Anonymous(this=name, expressions=[a.copy() for a in arguments])
    if name in _UNITS and len(arguments) == _WITH_UNIT:
        called.expressions[0].replace(exp.Var(this=arguments[0].name.upper()))
        return called
    if len(arguments) > _MOST.get(name, len(arguments)):
        return called
    if name in _NULLS and len(arguments) > 1 and isinstance(arguments[1], exp.Boolean):
        plain = _built(builder, arguments[:1])
        return exp.IgnoreNulls(this=plain) if arguments[1].this else plain
    built = _built(builder, arguments)
    text = built.sql("spark", unsupported_level=ErrorLevel.IGNORE)
    same = name in _SYNONYMS or name in _SAME or text == called.sql("spark")
    return built if same else called


def _functions() -> Iterator[tuple[str, _Builder]]:
    known = {**SparkParser.FUNCTIONS, **{n: c.from_arg_list for n, c in _SAME.items()}}
    for name, builder in known.items():
        if name not in _AS_CALLED:
            yield name, partial(_faithful, name, builder)


def _with_suffixes(tokens: Sequence[Token]) -> Iterator[Token]:
    """Numbers with their suffix, as in 1L: a cast in their place would give wider decimals in arithmetic."""
    skipped = 0
    for i, token in enumerate(tokens):
        suffixed = token.token_type == TokenType.NUMBER and i + 2 < len(tokens) and tokens[i + 1].start == token.start
        if suffixed:
            text = token.text + tokens[i + 2].text
            yield Token(token.token_type, text, token.line, token.col, token.start, token.end, token.comments)
            skipped = 2
        elif skipped:
            skipped -= 1
        else:
            yield token


class SparkText(Spark):
    """Reads a stream table's text; what it reads is written with sqlglot's Spark dialect."""

    class Tokenizer(Spark.Tokenizer):
        STRING_ESCAPES = ["\\", "'", '"']  # noqa: RUF012 as sqlglot declares it

        def tokenize(self, sql: str) -> list[Token]:
            return list(_with_suffixes(super().tokenize(sql)))

    class Parser(SparkParser):
        FUNCTIONS = dict(_functions())  # noqa: RUF012 likewise
        FUNCTION_PARSERS = {  # noqa: RUF012 likewise
            n: f for n, f in SparkParser.FUNCTION_PARSERS.items() if n not in _AS_CALLED
        }


def _separated(node: exp.Expr) -> exp.Expr:
    """LISTAGG puts nothing between values, where sqlglot would put a comma."""
    if isinstance(node, exp.GroupConcat) and node.args.get("separator") is None:
        node.set("separator", exp.Literal.string(""))
    return node


def _any_value_true(node: exp.Expr) -> exp.Expr:
    """ANY(condition) is an aggregate, unless it quantifies LIKE."""
    if isinstance(node, exp.Any) and isinstance(node.this, exp.Paren) and not isinstance(node.parent, _LIKES):
        return exp.LogicalOr(this=node.this.this)
    return node


def _one_interval(node: exp.Expr) -> exp.Expr:
    """INTERVAL 1 DAY 2 HOURS is one value, not a sum whose parts a minus before it would split."""
    parts = isinstance(node, exp.Add) and all(isinstance(part, exp.Interval | exp.Add) for part in node.flatten())
    return exp.paren(node, copy=False) if parts and isinstance(node.parent, exp.Binary) else node


def _time_type(node: exp.Expr) -> exp.Expr:
    """TIME is a type of its own, where sqlglot would write TIMESTAMP."""
    if not isinstance(node, exp.DataType) or node.this != exp.DataType.Type.TIME:
        return node
    digits = "".join(f"({part.name})" for part in node.expressions)
    return exp.DataType(this=exp.DataType.Type.USERDEFINED, kind=f"TIME{digits}")


def _field_names(node: exp.Expr) -> exp.Expr:
    """The fields of a STRUCT keep their spelling, which TO_JSON shows; all other names are folded to lower case."""
    named = isinstance(node, exp.PropertyEQ) or (isinstance(node, exp.ColumnDef) and node.find_ancestor(exp.DataType))
    if named and isinstance(node.this, exp.Identifier):
        name = node.this.copy()
        name.meta["case_sensitive"] = True
        node.set("this", name)
    return node


def _zipped(node: exp.Expr) -> exp.Expr:
    """ARRAYS_ZIP names the fields of its structs by the columns it is given, which a plan renames: name them here."""
    if not isinstance(node, exp.ArraysZip) or len(node.expressions) != len(_ZIPPED):
        return node
    names = [part.name if isinstance(part, exp.Column) else str(i) for i, part in enumerate(node.expressions)]
    fields = [
        exp.PropertyEQ(this=exp.to_identifier(name), expression=exp.to_identifier(variable))
        for name, variable in zip(names, _ZIPPED, strict=True)
    ]
    pair = exp.Lambda(this=exp.Struct(expressions=fields), expressions=[exp.to_identifier(v) for v in _ZIPPED])
    return exp.Anonymous(this="ZIP_WITH", expressions=[*node.expressions, pair])


_LIKES = (exp.Like, exp.ILike)
_ZIPPED = ("__left", "__right")
_WRITTEN_OUT = (_separated, _any_value_true, _zipped, _one_interval, _time_type, _field_names)


def explicit(query: exp.Query) -> exp.Query:
    """Write out what sqlglot would fill in or read differently."""
    for rewrite in _WRITTEN_OUT:
        query.transform(rewrite, copy=False)
    return query
