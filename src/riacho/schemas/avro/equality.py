"""Whether two types of one name say the same, in which case a schema may define that name twice."""

from __future__ import annotations

from riacho.schemas.avro.types import Array, AvroType, EnumType, Fixed, MapType, NamedType, Record, Union


def same_type(first: AvroType, second: AvroType, seen: set[tuple[int, int]] | None = None) -> bool:
    """Docs and aliases do not count, as in Java. `seen` ends the walk through recursive types."""
    seen = set() if seen is None else seen
    pair = (id(first), id(second))
    if first is second or pair in seen:
        return True
    seen.add(pair)
    if first.kind is not second.kind or first.props != second.props:
        return False
    if isinstance(first, NamedType) and isinstance(second, NamedType) and first.name != second.name:
        return False
    match first, second:
        case Record(), Record():
            return _same_fields(first, second, seen)
        case EnumType(), EnumType():
            return first.symbols == second.symbols
        case Fixed(), Fixed():
            return first.size == second.size
        case Array(), Array():
            return same_type(first.items, second.items, seen)
        case MapType(), MapType():
            return same_type(first.values, second.values, seen)
        case Union(), Union():
            return len(first.branches) == len(second.branches) and all(
                same_type(a, b, seen) for a, b in zip(first.branches, second.branches, strict=True)
            )
        case _:
            return True


def _same_fields(first: Record, second: Record, seen: set[tuple[int, int]]) -> bool:
    return len(first.fields) == len(second.fields) and all(
        (a.name, a.order, a.props, a.default) == (b.name, b.order, b.props, b.default)
        and same_type(a.type, b.type, seen)
        for a, b in zip(first.fields, second.fields, strict=True)
    )
