"""Spark SQL types as users write them for `columns:`, brought to one spelling."""

from __future__ import annotations

import re

_SIMPLE = {
    "boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "string", "binary", "date", "timestamp",
    "timestamp_ntz",
}  # fmt: skip
_ALIASES = {
    "bool": "boolean", "byte": "tinyint", "short": "smallint", "integer": "int", "long": "bigint", "real": "float",
    "timestamp_ltz": "timestamp", "dec": "decimal", "numeric": "decimal",
}  # fmt: skip
_POSTGRES = {
    "text": "string", "varchar": "string", "character varying": "string", "uuid": "string", "json": "string",
    "jsonb": "string", "bytea": "binary", "int2": "smallint", "int4": "int", "int8": "bigint", "serial": "int",
    "bigserial": "bigint", "float4": "float", "float8": "double", "double precision": "double",
    "timestamptz": "timestamp", "timestamp with time zone": "timestamp",
    "timestamp without time zone": "timestamp_ntz",
}  # fmt: skip
_DECIMAL = re.compile(r"decimal\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)")


def spark_type(text: str) -> str:
    """The canonical spelling of a Spark type; raises ValueError saying what is wrong."""
    written = " ".join(text.split())
    if written.lower().startswith(("array<", "map<", "struct<")):
        return _nested(written)
    word = re.sub(r"^\w+", lambda match: _ALIASES.get(match[0], match[0]), written.lower())
    if word in _SIMPLE:
        return word
    if word.startswith("decimal"):
        return _decimal(word, text)
    raise ValueError(_unknown(text, word))


def _unknown(text: str, word: str) -> str:
    better = _POSTGRES.get(re.sub(r"\(.*\)", "", word).strip(), "")
    return f'"{text}" is not a Spark type' + (f": write {better}" if better else "")


def _decimal(word: str, text: str) -> str:
    match = _DECIMAL.fullmatch(word)
    if not match:
        raise ValueError(f'"{text}" needs a precision and a scale: decimal(12,2)')
    precision, scale = int(match[1]), int(match[2] or 0)
    if not (1 <= precision <= 38 and scale <= precision):
        raise ValueError(f'"{text}" is out of range: a decimal has at most 38 digits')
    return f"decimal({precision},{scale})"


def _nested(written: str) -> str:
    outer, _, rest = written.partition("<")
    outer = outer.lower()
    if not rest.endswith(">"):
        raise ValueError(f'"{written}" lacks its closing >')
    parts = _split(rest[:-1])
    if outer == "struct":
        return f"struct<{','.join(_field(part) for part in parts)}>"
    if len(parts) != (2 if outer == "map" else 1):
        raise ValueError(f'"{written}" has the wrong number of types')
    return f"{outer}<{','.join(spark_type(part) for part in parts)}>"


def _field(part: str) -> str:
    name, colon, kind = part.partition(":")
    if not colon:
        raise ValueError(f'"{part}" is not a struct field: write name:type')
    return f"{name.strip()}:{spark_type(kind)}"


def _split(text: str) -> list[str]:
    parts, depth = [""], 0
    for character in text:
        depth += (character in "<(") - (character in ">)")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]
