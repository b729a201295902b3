"""Types as they were written, with the catalogue's custom types in their place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.syntax.expressions import ArrayName, CustomType, KnownType, MapName, StructName, TypeName
from riacho.pipelines.sql.types import Array, Decimal, Field, Map, SqlType, Struct, walk

DEPTH_MAX = 64
# Types that are made of types can double with each statement.
PARTS_MAX = 10_000


def resolve_type(name: TypeName, types: Mapping[str, SqlType]) -> SqlType:
    kind = _resolved(name, types, 0)
    for count, _ in enumerate(walk(kind)):
        if count > PARTS_MAX:
            raise KsqlError(f"A type has {PARTS_MAX} parts at most.")
    return kind


def _resolved(name: TypeName, types: Mapping[str, SqlType], depth: int) -> SqlType:
    if depth > DEPTH_MAX:
        raise KsqlError(f"A type can be nested {DEPTH_MAX} times at most.")
    match name:
        case KnownType(kind):
            return _checked(kind)
        case CustomType(custom):
            known = types.get(custom)
            if known is None:
                raise KsqlError(f"Cannot resolve unknown type: {custom}")
            return known
        case ArrayName(item):
            return Array(_resolved(item, types, depth + 1))
        case MapName(key, value):
            return Map(_resolved(key, types, depth + 1), _resolved(value, types, depth + 1))
        case StructName(fields):
            return _struct(fields, types, depth)
        case _:
            assert_never(name)


def _checked(kind: SqlType) -> SqlType:
    if isinstance(kind, Decimal):
        if kind.precision < 1:
            raise KsqlError(f"DECIMAL precision must be >= 1: DECIMAL({kind.precision},{kind.scale})")
        if kind.scale < 0:
            raise KsqlError(f"DECIMAL scale must be >= 0: DECIMAL({kind.precision},{kind.scale})")
        if kind.precision < kind.scale:
            raise KsqlError(f"DECIMAL precision must be >= scale: DECIMAL({kind.precision},{kind.scale})")
    return kind


def _struct(fields: tuple[tuple[str, TypeName], ...], types: Mapping[str, SqlType], depth: int) -> SqlType:
    seen: set[str] = set()
    for name, _ in fields:
        if name in seen:
            raise KsqlError(f"Duplicate field names found in STRUCT: '`{name}`'")
        seen.add(name)
    return Struct(tuple(Field(name, _resolved(kind, types, depth + 1)) for name, kind in fields))


def contains_map(kind: SqlType) -> bool:
    return any(isinstance(each, Map) for each in walk(kind))
