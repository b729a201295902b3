"""Types from the texts that `str` gives of them: how plans name types. What users write is `parsing/`'s business."""

from __future__ import annotations

import re
from functools import lru_cache

from riacho.pipelines.sql.types import Array, Base, Decimal, Field, Map, Primitive, SqlType, Struct

_TOKEN = re.compile(r"\s*(?:(`(?:[^`]|``)*`)|([A-Za-z]+)|([0-9]+)|([<>(),]))")


@lru_cache(maxsize=4_096)
def type_from_text(text: str) -> SqlType:
    """ValueError where it is no type."""
    tokens = [match.group(0).strip() for match in _TOKEN.finditer(text)]
    kind, rest = _type(tokens, 0)
    if rest != len(tokens):
        raise ValueError(f"'{text}' is not the text of a type")
    return kind


def _type(tokens: list[str], at: int) -> tuple[SqlType, int]:
    word = tokens[at] if at < len(tokens) else ""
    match word:
        case "ARRAY":
            item, at = _type(tokens, _expect(tokens, at + 1, "<"))
            return Array(item), _expect(tokens, at, ">")
        case "MAP":
            key, at = _type(tokens, _expect(tokens, at + 1, "<"))
            value, at = _type(tokens, _expect(tokens, at, ","))
            return Map(key, value), _expect(tokens, at, ">")
        case "STRUCT":
            return _struct(tokens, _expect(tokens, at + 1, "<"))
        case "DECIMAL":
            at = _expect(tokens, at + 1, "(")
            precision, at = int(tokens[at]), _expect(tokens, at + 1, ",")
            scale, at = int(tokens[at]), at + 1
            return Decimal(precision, scale), _expect(tokens, at, ")")
        case _:
            return Primitive(Base(word)), at + 1


def _struct(tokens: list[str], at: int) -> tuple[SqlType, int]:
    fields: list[Field] = []
    while tokens[at] != ">":
        if fields:
            at = _expect(tokens, at, ",")
        name = tokens[at][1:-1].replace("``", "`")
        kind, at = _type(tokens, at + 1)
        fields.append(Field(name, kind))
    return Struct(tuple(fields)), at + 1


def _expect(tokens: list[str], at: int, token: str) -> int:
    if at >= len(tokens) or tokens[at] != token:
        raise ValueError(f"a type's text lacks {token}")
    return at + 1
