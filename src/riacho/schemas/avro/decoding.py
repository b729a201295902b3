"""From Avro's binary form to the JSON form of a value, by functions put together once a schema.

Payloads come from strangers: lengths and counts are checked against what is left before anything is made from them, and
values that take no bytes, of which a payload could claim any number, are counted.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

from riacho.schemas.avro.misfit import Misfit
from riacho.schemas.avro.types import Array, AvroType, EnumType, Fixed, Kind, MapType, Record, Union
from riacho.schemas.json_text import java_special
from riacho.schemas.parsed import Json

EMPTY_VALUES_MAX = 100_000  # values of no bytes in one payload

_unpack_float = struct.Struct("<f").unpack_from
_unpack_double = struct.Struct("<d").unpack_from


class Cursor:
    """Where in the payload we are, and how many more values of no bytes it may claim."""

    __slots__ = ("data", "empty_left", "end", "pos")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.pos = 0
        self.end = len(data)
        self.empty_left = EMPTY_VALUES_MAX

    def number(self) -> int:
        # Not `wire/varint.py`: every field of every record comes by here, and a call more for each would be felt.
        data, pos = self.data, self.pos
        try:
            byte = data[pos]
            pos += 1
            if byte < 0x80:
                self.pos = pos
                return (byte >> 1) ^ -(byte & 1)
            rest, shift = byte & 0x7F, 7
            while True:
                byte = data[pos]
                pos += 1
                rest |= (byte & 0x7F) << shift
                if byte < 0x80:
                    break
                shift += 7
                if shift > 63:
                    raise Misfit("the payload has a number of more than 64 bits")
        except IndexError:
            raise _ended() from None
        self.pos = pos
        rest &= 0xFFFF_FFFF_FFFF_FFFF
        return (rest >> 1) ^ -(rest & 1)

    def take(self, size: int) -> bytes:
        start = self.pos
        if size < 0:
            raise Misfit(f"the payload has a negative length, {size}")
        if size > self.end - start:
            raise _ended()
        self.pos = start + size
        return self.data[start : start + size]

    def count_empty(self, count: int = 1) -> None:
        self.empty_left -= count
        if self.empty_left < 0:
            raise Misfit(f"the payload claims more than {EMPTY_VALUES_MAX} values of no bytes")

    def block(self) -> int:
        """How many items come next, 0 at the end."""
        count = self.number()
        if count < 0:
            count = -count
            self.number()  # the block's size in bytes, for those that skip it
        return count


Decode = Callable[[Cursor], Json]


class DecoderCompiler:
    def __init__(self) -> None:
        self._records: dict[int, Decode] = {}

    def compile(self, avro_type: AvroType) -> Decode:
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
                size = avro_type.size
                return lambda cursor: cursor.take(size).decode("latin-1")
        return _PRIMITIVE[avro_type.kind]

    def _record_once(self, record: Record) -> Decode:
        """Its fields are put together at its first value: types may contain themselves."""
        known = self._records.get(id(record))
        if known is None:
            fields: list[tuple[str, Decode]] = []

            def open_fields() -> None:
                fields[:] = [(field.name, self.compile(field.type)) for field in record.fields]

            known = self._records[id(record)] = _record(len(record.fields), fields, open_fields)
        return known

    def _union(self, union: Union) -> Decode:
        labels = [branch.label for branch in union.branches]
        decoders = [None if branch.kind is Kind.NULL else self.compile(branch) for branch in union.branches]
        count = len(labels)

        def decode(cursor: Cursor) -> Json:
            at = cursor.number()
            if not 0 <= at < count:
                raise Misfit(f"the payload names branch {at} of a union of {count}")
            read = decoders[at]
            return None if read is None else {labels[at]: read(cursor)}

        return decode


def _record(count: int, fields: list[tuple[str, Decode]], open_fields: Callable[[], None]) -> Decode:
    def decode(cursor: Cursor) -> Json:
        if len(fields) != count:
            open_fields()
        start, value, name = cursor.pos, {}, ""
        try:
            for name, read in fields:
                value[name] = read(cursor)
        except Misfit as wrong:
            raise wrong.inside(name) from None
        if cursor.pos == start:
            cursor.count_empty()
        return value

    return decode


def _array(read: Decode) -> Decode:
    def decode(cursor: Cursor) -> Json:
        items: list[Json] = []
        try:
            while count := cursor.block():
                start = cursor.pos
                items.append(read(cursor))
                if cursor.pos == start:
                    # Then none of them takes bytes, and nothing but this ends a block of 2^63.
                    cursor.count_empty(count)
                for _ in range(count - 1):
                    items.append(read(cursor))
        except Misfit as wrong:
            raise wrong.inside(len(items)) from None
        return items

    return decode


def _map(read: Decode) -> Decode:
    def decode(cursor: Cursor) -> Json:
        value: dict[str, Json] = {}
        key = ""
        try:
            while count := cursor.block():
                for _ in range(count):
                    key = _string(cursor)
                    value[key] = read(cursor)
        except Misfit as wrong:
            raise wrong.inside(key) from None
        return value

    return decode


def _enum(enum: EnumType) -> Decode:
    symbols = enum.symbols

    def decode(cursor: Cursor) -> Json:
        at = cursor.number()
        if not 0 <= at < len(symbols):
            raise Misfit(f"the payload names symbol {at} of enum {enum.label}, which has {len(symbols)}")
        return symbols[at]

    return decode


def _string(cursor: Cursor) -> str:
    # As Java does: what is no UTF-8 becomes U+FFFD, and the record can still be read.
    return cursor.take(cursor.number()).decode("utf-8", "replace")


def _int(cursor: Cursor) -> Json:
    value = cursor.number()
    if not -0x8000_0000 <= value <= 0x7FFF_FFFF:
        raise Misfit(f"{value} is out of the range of int")
    return value


def _float(cursor: Cursor) -> Json:
    (value,) = _unpack_float(cursor.take(4))
    return value if math.isfinite(value) else java_special(value)


def _double(cursor: Cursor) -> Json:
    (value,) = _unpack_double(cursor.take(8))
    return value if math.isfinite(value) else java_special(value)


def _boolean(cursor: Cursor) -> Json:
    value = cursor.take(1)
    if value > b"\1":
        raise Misfit(f"expected a boolean, the payload has byte {value[0]}")
    return value == b"\1"


def _ended() -> Misfit:
    return Misfit("the payload ends too early")


_PRIMITIVE: dict[Kind, Decode] = {
    Kind.NULL: lambda cursor: None,
    Kind.BOOLEAN: _boolean,
    Kind.INT: _int,
    Kind.LONG: Cursor.number,
    Kind.FLOAT: _float,
    Kind.DOUBLE: _double,
    Kind.STRING: _string,
    Kind.BYTES: lambda cursor: cursor.take(cursor.number()).decode("latin-1"),
}
