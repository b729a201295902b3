"""The form in which schemas of equal meaning have equal text: what `normalize=true` stores.

It is built as JSON and read again: names in full, attributes in one order, aliases sorted, the keys of what is not
Avro's own sorted, an empty `doc` of a type left out, defaults written as their type would (0 of a double as 0.0),
errors as the records that they are. Confluent's loses the default of a union that is not of its first branch; here it
stays.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable

from riacho.schemas.avro.logical_types import logical_type
from riacho.schemas.avro.types import (
    Array,
    AvroType,
    EnumType,
    Fixed,
    Kind,
    MapType,
    NamedType,
    Record,
    RecordField,
    Union,
)
from riacho.schemas.parsed import Json


def normalized_json(avro_type: AvroType, known: Iterable[str]) -> Json:
    """`known` are the full names of references, which stay names."""
    return _of_type(avro_type, set(known))


def _of_type(avro_type: AvroType, known: set[str]) -> Json:
    match avro_type:
        case NamedType():
            return _of_named(avro_type, known)
        case Union():
            return [_of_type(branch, known) for branch in avro_type.branches]
        case Array():
            return {"type": "array", "items": _of_type(avro_type.items, known), **_sorted(avro_type.props)}
        case MapType():
            return {"type": "map", "values": _of_type(avro_type.values, known), **_sorted(avro_type.props)}
    if not avro_type.props:
        return avro_type.kind.value
    return {"type": avro_type.kind.value, **_logical_first(avro_type)}


def _of_named(named: NamedType, known: set[str]) -> Json:
    full = named.name.full
    if full in known:
        return full
    known.add(full)
    json: dict[str, Json] = {"name": full, "type": named.kind.value}
    if named.name.space is None:
        json["namespace"] = ""  # else the text around it would lend it one
    match named:
        case EnumType():
            json["symbols"] = list(named.symbols)
            json |= {"default": named.default} if named.default is not None else {}
        case Fixed():
            json["size"] = named.size
        case Record():
            json["fields"] = [_of_field(field, known) for field in named.fields]
    json |= {"doc": named.doc} if named.doc else {}
    json |= {"aliases": sorted(named.alias_names())} if named.aliases else {}
    return json | (_logical_first(named) if isinstance(named, Fixed) else _sorted(named.props))


def _of_field(field: RecordField, known: set[str]) -> Json:
    json: dict[str, Json] = {"name": field.name, "type": _of_type(field.type, known), "order": field.order}
    json |= {"doc": field.doc} if field.doc is not None else {}
    json |= {"aliases": sorted(field.aliases)} if field.aliases else {}
    json |= {"default": _of_default(field.default, field.type)} if field.has_default else {}
    return json | _sorted(field.props)


def _logical_first(avro_type: AvroType) -> dict[str, Json]:
    props, name = _sorted(avro_type.props), logical_type(avro_type)
    if name is None:
        return props
    first = ["logicalType"]
    if name == "decimal":
        first += ["precision", "scale"] if props.get("scale") else ["precision"]
    return {key: props[key] for key in first} | props


def _sorted(value: dict[str, Json]) -> dict[str, Json]:
    return {key: _sorted_value(value[key]) for key in sorted(value)}


def _sorted_value(value: Json) -> Json:
    if isinstance(value, dict):
        return _sorted(value)
    return [_sorted_value(item) for item in value] if isinstance(value, list) else value


def _of_default(value: Json, avro_type: AvroType) -> Json:
    if isinstance(avro_type, Union):
        return _of_default(value, avro_type.branches[0]) if avro_type.branches else _sorted_value(value)
    if isinstance(value, dict):
        return {key: _of_default(value[key], _type_at(avro_type, key)) for key in sorted(value)}
    if isinstance(value, list):
        inner = avro_type.items if isinstance(avro_type, Array) else _UNTYPED
        return [_of_default(item, inner) for item in value]
    if isinstance(value, int | float) and not isinstance(value, bool) and avro_type.kind in (Kind.FLOAT, Kind.DOUBLE):
        return _as_float(value, avro_type.kind)
    if isinstance(value, str) and avro_type.kind in (Kind.BYTES, Kind.FIXED):
        return value.encode("latin-1", "replace").decode("latin-1")
    return value


def _type_at(avro_type: AvroType, key: str) -> AvroType:
    if isinstance(avro_type, MapType):
        return avro_type.values
    field = avro_type.by_name.get(key) if isinstance(avro_type, Record) else None
    return field.type if field is not None else _UNTYPED


def _as_float(value: float, kind: Kind) -> float:
    try:
        number = float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    return _shortest_float(number) if kind is Kind.FLOAT else number


def _shortest_float(value: float) -> float:
    """The double with the fewest digits that is the same 32-bit float, as `Float.toString` prints it."""
    try:
        packed = struct.pack("<f", value)
    except OverflowError:
        return math.copysign(math.inf, value)
    for digits in (6, 7, 8, 9):
        short = float(f"{value:.{digits}g}")
        if struct.pack("<f", short) == packed:
            return short
    return value


_UNTYPED = AvroType(kind=Kind.NULL)
