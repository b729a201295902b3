"""Types as text."""

from __future__ import annotations

from typing import assert_never

from riacho.pipelines.sql.printing.names import identifier_text
from riacho.pipelines.sql.syntax.expressions import (
    ArrayName,
    CustomType,
    KnownType,
    MapName,
    StructName,
    TypeName,
)


def type_text(kind: TypeName) -> str:
    match kind:
        case KnownType(known):
            return str(known)
        case CustomType(name):
            return identifier_text(name)
        case ArrayName(item):
            return f"ARRAY<{type_text(item)}>"
        case MapName(key, value):
            return f"MAP<{type_text(key)}, {type_text(value)}>"
        case StructName(fields):
            inside = ", ".join(f"{identifier_text(name)} {type_text(each)}" for name, each in fields)
            return f"STRUCT<{inside}>"
        case _:
            assert_never(kind)
