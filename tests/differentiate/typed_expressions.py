"""Expressions and the types that Spark gives them."""

from __future__ import annotations

from trickle.model.schema import Column

COLUMNS = tuple(
    Column(name, type_)
    for name, type_ in {
        "i": "int",
        "b": "bigint",
        "s": "smallint",
        "d": "decimal(12,2)",
        "e": "decimal(6,4)",
        "w": "decimal(38,10)",
        "f": "float",
        "g": "double",
        "t": "string",
        "o": "boolean",
        "y": "date",
    }.items()
)

EXPRESSIONS = [
    ("i + 1", "int"),
    ("i + b", "bigint"),
    ("i / 2", "double"),
    ("i div 2", "bigint"),
    ("s % 2", "int"),
    ("d + 1", "decimal(13,2)"),
    ("d + i", "decimal(13,2)"),
    ("d * e", "decimal(19,6)"),
    ("d * d * d", "decimal(38,6)"),
    ("d / e", "decimal(23,9)"),
    ("w * d", "decimal(38,6)"),
    ("d % 3", "decimal(3,2)"),
    ("d + g", "double"),
    ("1.50", "decimal(3,2)"),
    ("0.05", "decimal(2,2)"),
    ("3000000000", "bigint"),
    ("coalesce(d, 0)", "decimal(12,2)"),
    ("coalesce(e, i)", "decimal(14,4)"),
    ("case when o then d end", "decimal(12,2)"),
    ("case when o then i else b end", "bigint"),
    ("nullif(i, 0)", "int"),
    ("least(i, g)", "double"),
    ("sum(i)", "bigint"),
    ("sum(d)", "decimal(22,2)"),
    ("sum(w)", "decimal(38,10)"),
    ("sum(f)", "double"),
    ("avg(i)", "double"),
    ("avg(d)", "decimal(16,6)"),
    ("count(*)", "bigint"),
    ("max(t)", "string"),
    ("cast(i as decimal)", "decimal(10,0)"),
    ("cast(i as varchar(3))", "string"),
    ("t || 'x'", "string"),
    ("i > 1 and t is null", "boolean"),
    ("year(y)", "int"),
    ("-d", "decimal(12,2)"),
    ("sqrt(i)", "double"),
]
