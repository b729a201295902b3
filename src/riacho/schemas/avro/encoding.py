"""From the JSON form of a value to Avro's binary one, by functions put together once a schema.

Each type becomes one function from a value to bytes; a record joins what those of its fields return. Where something is
wrong, the way back up tells where: each record, array and map adds its step to the path.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

from riacho.schemas.avro.misfit import Misfit, misfit
from riacho.schemas.avro.types import Array, AvroType, EnumType, Fixed, Kind, MapType, Record, RecordField, Union
from riacho.schemas.avro.union_choice import UnionChoice
from riacho.schemas.parsed import Json
from riacho.wire.varint import encode_zigzag

Encode = Callable[[Json], bytes]

SPECIAL_FLOATS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}

_pack_float = struct.Struct("<f").pack
_pack_double = struct.Struct("<d").pack


# Most lengths, counts, indexes and not few values are small; a table is several times as fast as the loop.
_SMALL_MIN, _SMALL_END = -1_024, 8_192
_SMALL = {number: encode_zigzag(number) for number in range(_SMALL_MIN, _SMALL_END)}


def _number(value: int) -> bytes:
    return _SMALL.get(value) or encode_zigzag(value)


class EncoderCompiler:
    def __init__(self) -> None:
        self._records: dict[int, Encode] = {}

    def compile(self, avro_type: AvroType) -> Encode:
        match avro_type:
            case Record():
                return self._record_once(avro_type)
            case Union():
                return self._union(avro_type)
            case Array():
                return _array(self.compile(avro_type.items))
            case MapType():
                return _map(self.compile(avro_type.values))
            case EnumType():
                return _enum(avro_type)
            case Fixed():
                return _fixed(avro_type)
        return _PRIMITIVE[avro_type.kind]

    def _record_once(self, record: Record) -> Encode:
        """Its fields are put together at its first value: types may contain themselves."""
        known = self._records.get(id(record))
        if known is None:
            fields: list[tuple[RecordField, str, Encode]] = []

            def open_fields() -> None:
                fields[:] = [(field, field.name, self.compile(field.type)) for field in record.fields]

            known = self._records[id(record)] = _record(record, fields, open_fields)
        return known

    def _union(self, union: Union) -> Encode:
        choice = UnionChoice(union)
        heads = [_number(at) for at in range(len(union.branches))]
        encoders = [self.compile(branch) for branch in union.branches]

        def encode(value: Json) -> bytes:
            if value is None and choice.null_at is not None:
                return heads[choice.null_at]
            at, inner = choice.of(value)
            try:
                return heads[at] + encoders[at](inner)
            except Misfit as wrong:
                # A wrapper is part of the path, since it is part of the value.
                raise (wrong.inside(union.branches[at].label) if inner is not value else wrong) from None

        return encode


def _record(record: Record, fields: list[tuple[RecordField, str, Encode]], open_fields: Callable[[], None]) -> Encode:
    count, label = len(record.fields), f"an object (record {record.label})"

    def encode(value: Json) -> bytes:
        if not isinstance(value, dict):
            raise misfit(label, value)
        if len(fields) != count:
            open_fields()
        parts, name = [], ""
        try:
            for field, name, write in fields:
                try:
                    item = value[name]
                except KeyError:
                    item = _value_by_alias(field, value)
                parts.append(write(item))
        except Misfit as wrong:
            raise wrong.inside(name) from None
        if len(value) != count:
            raise _unknown_field(record, value)
        return b"".join(parts)

    return encode


def _value_by_alias(field: RecordField, value: dict[str, Json]) -> Json:
    for name in field.aliases:
        if name in value:
            return value[name]
    raise Misfit("a value is required")


def _unknown_field(record: Record, value: dict[str, Json]) -> Misfit:
    """Every field has its value, and there are more."""
    known = {next(n for n in (field.name, *field.aliases) if n in value) for field in record.fields}
    return Misfit("the schema has no such field").inside(next(key for key in value if key not in known))


def _array(write: Encode) -> Encode:
    def encode(value: Json) -> bytes:
        if not isinstance(value, list):
            raise misfit("an array", value)
        if not value:
            return b"\0"
        parts = [_number(len(value))]
        try:
            for item in value:
                parts.append(write(item))
        except Misfit as wrong:
            raise wrong.inside(len(parts) - 1) from None
        parts.append(b"\0")
        return b"".join(parts)

    return encode


def _map(write: Encode) -> Encode:
    def encode(value: Json) -> bytes:
        if not isinstance(value, dict):
            raise misfit("an object (map)", value)
        if not value:
            return b"\0"
        parts = [_number(len(value))]
        for key, item in value.items():
            try:
                parts += (_string(key), write(item))
            except Misfit as wrong:
                raise wrong.inside(key) from None
        parts.append(b"\0")
        return b"".join(parts)

    return encode


def _enum(enum: EnumType) -> Encode:
    indexes: dict[Json, bytes] = {symbol: _number(at) for at, symbol in enumerate(enum.symbols)}

    def encode(value: Json) -> bytes:
        found = indexes.get(value) if isinstance(value, str) else None
        if found is None:
            raise misfit(f"a symbol of enum {enum.label}", value)
        return found

    return encode


def _fixed(fixed: Fixed) -> Encode:
    def encode(value: Json) -> bytes:
        raw = _latin(value, f"a string of {fixed.size} bytes (fixed {fixed.label})")
        if len(raw) != fixed.size:
            raise Misfit(f"expected {fixed.size} bytes (fixed {fixed.label}), got {len(raw)}")
        return raw

    return encode


def _latin(value: Json, expected: str) -> bytes:
    if not isinstance(value, str):
        raise misfit(expected, value)
    try:
        return value.encode("latin-1")
    except UnicodeEncodeError:
        raise Misfit(f"expected {expected}, one character U+0000 to U+00FF a byte; there is one beyond") from None


def _bytes(value: Json) -> bytes:
    raw = _latin(value, "a string (bytes)")
    return _number(len(raw)) + raw


def _string(value: Json) -> bytes:
    if not isinstance(value, str):
        raise misfit("a string", value)
    try:
        raw = value.encode()
    except UnicodeEncodeError:
        raise Misfit("expected a string, got one with half of a surrogate pair, which is no character") from None
    return _number(len(raw)) + raw


def _integer(name: str, bits: int) -> Encode:
    low, high = -(1 << bits - 1), (1 << bits - 1) - 1

    def encode(value: Json) -> bytes:
        if type(value) is not int:
            # 1.0 is a number without a fraction, in JSON as in Java.
            if not isinstance(value, float) or not value.is_integer():
                raise misfit(name, value)
            value = int(value)
        small = _SMALL.get(value)
        if small is not None:
            return small
        if not low <= value <= high:
            raise Misfit(f"{value if abs(value) < 1 << 128 else 'the number'} is out of the range of {name}")
        return encode_zigzag(value)

    return encode


def _floating(name: str, pack: Callable[[float], bytes]) -> Encode:
    def encode(value: Json) -> bytes:
        if type(value) is not float:
            if type(value) is int:
                pass
            elif isinstance(value, str) and value in SPECIAL_FLOATS:
                value = SPECIAL_FLOATS[value]
            else:
                raise misfit(name, value)
        assert isinstance(value, int | float)
        try:
            return pack(value)
        except (OverflowError, struct.error):
            raise Misfit(f"the number is out of the range of {name}") from None

    return encode


def _boolean(value: Json) -> bytes:
    if value is True:
        return b"\1"
    if value is False:
        return b"\0"
    raise misfit("a boolean", value)


def _null(value: Json) -> bytes:
    if value is not None:
        raise misfit("null", value)
    return b""


_PRIMITIVE: dict[Kind, Encode] = {
    Kind.NULL: _null,
    Kind.BOOLEAN: _boolean,
    Kind.INT: _integer("int", 32),
    Kind.LONG: _integer("long", 64),
    Kind.FLOAT: _floating("float", _pack_float),
    Kind.DOUBLE: _floating("double", _pack_double),
    Kind.STRING: _string,
    Kind.BYTES: _bytes,
}
