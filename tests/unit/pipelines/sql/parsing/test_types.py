"""Types as they are written."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql import types
from riacho.pipelines.sql.parsing.parser import parse_type
from riacho.pipelines.sql.printer import type_text
from riacho.pipelines.sql.syntax.expressions import ArrayName, CustomType, KnownType, MapName, StructName, TypeName

INT, STRING = KnownType(types.INTEGER), KnownType(types.STRING)

FORMS: list[tuple[str, TypeName]] = [
    ("INT", INT),
    ("integer", INT),
    ("BIGINT", KnownType(types.BIGINT)),
    ("DOUBLE", KnownType(types.DOUBLE)),
    ("BOOLEAN", KnownType(types.BOOLEAN)),
    ("VARCHAR", STRING),
    ("STRING", STRING),
    ("VARCHAR(20)", STRING),
    ("BYTES", KnownType(types.BYTES)),
    ("TIME", KnownType(types.TIME)),
    ("DATE", KnownType(types.DATE)),
    ("TIMESTAMP", KnownType(types.TIMESTAMP)),
    ("DECIMAL(4,2)", KnownType(types.Decimal(4, 2))),
    ("dec(38, 0)", KnownType(types.Decimal(38, 0))),
    ("ARRAY<INT>", ArrayName(INT)),
    ("ARRAY<ARRAY<INT>>", ArrayName(ArrayName(INT))),
    ("MAP<STRING, ARRAY<ARRAY<INT>>>", MapName(STRING, ArrayName(ArrayName(INT)))),
    ("STRUCT<a INT, `b` STRUCT<c STRING>>", StructName((("A", INT), ("b", StructName((("C", STRING),)))))),
    ("STRUCT<key INT, array INT, type STRING>", StructName((("KEY", INT), ("ARRAY", INT), ("TYPE", STRING)))),
    ("STRUCT<>", StructName(())),
    ("STRUCT< >", StructName(())),
    ("address", CustomType("ADDRESS")),
    ("`Address`", CustomType("Address")),
    ("`INT eger`", CustomType("INT eger")),
]


@pytest.mark.parametrize(("text", "expected"), FORMS, ids=[text for text, _ in FORMS])
def test_a_type_is_read_and_its_text_is_read_again(text: str, expected: TypeName) -> None:
    assert parse_type(text) == expected
    assert parse_type(type_text(expected)) == expected
