"""An Arrow column as Protobuf payloads, written field by field for all rows at once (`byte_columns`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from google.protobuf.descriptor import FieldDescriptor as Fd  # type: ignore[import-untyped]

from riacho.pipelines.formats.byte_columns import decimal_bytes, fixed, join, only_where, sized, together, varints
from riacho.pipelines.formats.byte_cursor import Numbers
from riacho.pipelines.formats.column_types import FormatError
from riacho.pipelines.formats.protobuf_types import DATE, DECIMAL, TIMESTAMP, fields_of, is_map, is_message, is_wrapper

_FLOATS = {Fd.TYPE_DOUBLE: np.float64, Fd.TYPE_FLOAT: np.float32}
_FIXED = {
    Fd.TYPE_FIXED64: np.int64,
    Fd.TYPE_SFIXED64: np.int64,
    Fd.TYPE_FIXED32: np.uint32,
    Fd.TYPE_SFIXED32: np.int32,
}
_WIRE_64 = (Fd.TYPE_DOUBLE, Fd.TYPE_FIXED64, Fd.TYPE_SFIXED64)
_WIRE_32 = (Fd.TYPE_FLOAT, Fd.TYPE_FIXED32, Fd.TYPE_SFIXED32)
_WIRE_BYTES = (Fd.TYPE_STRING, Fd.TYPE_BYTES, Fd.TYPE_MESSAGE)
_MICROS = 1_000_000


class ProtobufWriter:
    """Writes one column. `bad` are rows with a value that their message has no place for."""

    def __init__(self, count: int) -> None:
        self.bad = np.zeros(count, bool)

    def write(self, descriptor: Any, values: pa.Array, rows: Numbers) -> pa.Array:
        """Messages, without length; nothing where a value is null."""
        special = self._special(descriptor, values, rows)
        if special is not None:
            return special
        if not pa.types.is_struct(values.type):
            raise FormatError(f"{values.type} cannot be written as the message {descriptor.full_name}")
        names = {field.name: index for index, field in enumerate(values.type)}
        flat = values.flatten()
        pieces = [
            self._field(field, flat[names[field.name]], rows) for field in fields_of(descriptor) if field.name in names
        ]
        return join(*pieces) if pieces else pa.array([b""] * len(values), pa.binary())

    def _field(self, field: Any, values: pa.Array, rows: Numbers) -> pa.Array:
        """Tag and value where there is one; nothing for zero, when the field cannot tell zero from nothing."""
        if field.is_repeated:
            return self._repeated(field, values, rows)
        present = values.is_valid().to_numpy(zero_copy_only=False)
        place = np.flatnonzero(present)
        solid = values if present.all() else values.take(pa.array(place))
        written = self._tagged(field, solid, rows[place])
        if not field.has_presence:
            written = only_where(~_is_zero(field, solid), written)
        if present.all():
            return written
        index = np.full(len(values), -1, np.int64)
        index[place] = np.arange(len(place))
        return pc.fill_null(written.take(pa.array(index, mask=index < 0)), b"")

    def _repeated(self, field: Any, values: pa.Array, rows: Numbers) -> pa.Array:
        if values.null_count:
            # Null and empty are the same here; offsets alone would not tell where a null list ends.
            values = pc.fill_null(values, pa.scalar([], values.type))
        if not hasattr(values, "offsets"):
            raise FormatError(f"{values.type} cannot be written as the repeated field {field.name}")
        offsets = values.offsets.to_numpy()
        start, end = int(offsets[0]), int(offsets[-1])
        owners = np.repeat(rows, np.diff(offsets))
        if is_map(field):
            parts = [values.keys.slice(start, end - start), values.items.slice(start, end - start)]
            entries = pa.StructArray.from_arrays(parts, ["key", "value"])
            return together(self._tagged(field, entries, owners), offsets - start)
        items = values.values.slice(start, end - start)
        if items.null_count:
            self.bad[owners[items.is_null().to_numpy(zero_copy_only=False)]] = True
            if items.null_count == len(items):
                return pa.array([b""] * len(values), pa.binary())
            items = _filled(items)
        if not field.is_packed:
            return together(self._tagged(field, items, owners), offsets - start)
        packed = sized(together(self._value(field, items, owners), offsets - start), False)
        return only_where(np.diff(offsets) > 0, join(pa.scalar(_tag(field, 2), pa.binary()), packed))

    def _tagged(self, field: Any, values: pa.Array, rows: Numbers) -> pa.Array:
        return join(pa.scalar(_tag(field, _wire_type(field)), pa.binary()), self._value(field, values, rows))

    def _value(self, field: Any, values: pa.Array, rows: Numbers) -> pa.Array:
        try:
            return self._bytes(field, values, rows)
        except (pa.ArrowException, ValueError, TypeError) as error:
            if isinstance(error, FormatError):
                raise
            raise FormatError(f"{values.type} cannot be written as the field {field.name}") from None

    def _bytes(self, field: Any, values: pa.Array, rows: Numbers) -> pa.Array:
        if is_message(field):
            return sized(self.write(field.message_type, values, rows), False)
        if field.type == Fd.TYPE_STRING:
            return sized(values.cast(pa.string()).cast(pa.binary()), False)
        if field.type == Fd.TYPE_BYTES:
            return sized(values.cast(pa.binary()), False)
        if field.type in _FLOATS:
            kind = _FLOATS[field.type]
            return fixed(values.cast(pa.from_numpy_dtype(kind), safe=False).to_numpy(zero_copy_only=False))
        if field.type in _FIXED:
            return fixed(_integers(values).astype(_FIXED[field.type]))
        if field.type == Fd.TYPE_ENUM:
            return varints(self._enum_numbers(field.enum_type, values, rows).view(np.uint64))
        numbers = _integers(values)
        if field.type in (Fd.TYPE_SINT32, Fd.TYPE_SINT64):
            numbers = (numbers << np.int64(1)) ^ (numbers >> np.int64(63))
        return varints(numbers.view(np.uint64))

    def _enum_numbers(self, enum: Any, values: pa.Array, rows: Numbers) -> Numbers:
        names = [value.name for value in enum.values]
        index = pc.index_in(values.cast(pa.string()), pa.array(names, pa.string()))
        self.bad[rows[index.is_null().to_numpy(zero_copy_only=False)]] = True
        numbers = np.array([value.number for value in enum.values], np.int64)
        found: Numbers = numbers[pc.fill_null(index, 0).to_numpy(zero_copy_only=False)]
        return found

    def _special(self, descriptor: Any, values: pa.Array, rows: Numbers) -> pa.Array | None:
        """Single values that are messages of their own."""
        name = descriptor.full_name
        if name == TIMESTAMP and pa.types.is_timestamp(values.type):
            micros = values.cast(pa.timestamp("us", values.type.tz)).view(pa.int64()).to_numpy(zero_copy_only=False)
            parts = {"seconds": micros // _MICROS, "nanos": micros % _MICROS * 1000}
        elif name == DATE and pa.types.is_date32(values.type):
            parts = {"year": pc.year(values), "month": pc.month(values), "day": pc.day(values)}
        elif name == DECIMAL and pa.types.is_decimal(values.type):
            scale, precision = values.type.scale, values.type.precision
            parts = {
                "value": decimal_bytes(values),
                "precision": np.full(len(values), precision),
                "scale": np.full(len(values), scale),
            }
        elif is_wrapper(descriptor):
            parts = {"value": values}
        else:
            return None
        columns = [pa.array(each) if isinstance(each, np.ndarray) else each for each in parts.values()]
        pieces = [
            self._field(descriptor.fields_by_name[part], column, rows)
            for part, column in zip(parts, columns, strict=True)
        ]
        return join(*pieces)


def _filled(items: pa.Array) -> pa.Array:
    """Some item in the place of each null: their rows are bad already, but have to be written like others."""
    absent = items.is_null().to_numpy(zero_copy_only=False)
    return items.take(pa.array(np.where(absent, int(np.argmin(absent)), np.arange(len(items)))))


def _wire_type(field: Any) -> int:
    if field.type in _WIRE_BYTES:
        return 2
    return 1 if field.type in _WIRE_64 else 5 if field.type in _WIRE_32 else 0


def _tag(field: Any, wire_type: int) -> bytes:
    written: bytes = varints(np.array([field.number << 3 | wire_type])).to_pylist()[0]
    return written


def _integers(values: pa.Array) -> Numbers:
    if not (pa.types.is_integer(values.type) or pa.types.is_boolean(values.type)):
        raise FormatError(f"{values.type} is no whole number")
    found: Numbers = values.cast(pa.int64()).to_numpy(zero_copy_only=False)
    return np.ascontiguousarray(found)


def _is_zero(field: Any, values: pa.Array) -> Numbers:
    if is_message(field):
        return np.zeros(len(values), bool)
    if field.type in (Fd.TYPE_STRING, Fd.TYPE_BYTES):
        zero = pc.equal(pc.binary_length(values.cast(pa.binary())), 0)
    elif field.type == Fd.TYPE_ENUM:
        zero = pc.equal(values.cast(pa.string()), field.enum_type.values[0].name)
    else:
        zero = pc.equal(values.cast(pa.float64(), safe=False), 0.0)
    found: Numbers = zero.to_numpy(zero_copy_only=False)
    return found
