"""An Arrow column as Avro payloads, written field by field for all rows at once (`byte_columns`)."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from riacho.pipelines.formats.avro_types import branch_name, map_entry, solid_branches
from riacho.pipelines.formats.byte_columns import (
    decimal_bytes,
    fixed,
    join,
    only_where,
    sized,
    together,
    zigzags,
)
from riacho.pipelines.formats.byte_cursor import Numbers, binary_of, binary_parts
from riacho.pipelines.formats.column_types import FormatError
from riacho.schemas.avro.logical_types import logical_type
from riacho.schemas.avro.types import Array, AvroType, EnumType, Fixed, Kind, MapType, Record, Union

_ZERO = pa.scalar(b"\0", pa.binary())
_DIVISORS = {"millis": 1000, "micros": 1}


class AvroWriter:
    """Writes one column. `bad` are rows with a value that their schema has no place for, above all a missing one."""

    def __init__(self, count: int) -> None:
        self.bad = np.zeros(count, bool)

    def write(self, avro_type: AvroType, values: pa.Array, rows: Numbers) -> pa.Array:
        """Bytes of each value; `rows` tells to which row of the whole each of them belongs."""
        if isinstance(avro_type, Union):
            return self._union(avro_type, values, rows)
        if avro_type.kind is Kind.NULL:
            return pa.array([b""] * len(values), pa.binary())
        if values.null_count:
            absent = values.is_null().to_numpy(zero_copy_only=False)
            self.bad[rows[absent]] = True
            present = np.flatnonzero(~absent)
            written = self.write(avro_type, values.take(pa.array(present)), rows[present])
            index = np.full(len(values), -1, np.int64)
            index[present] = np.arange(len(present))
            return pc.fill_null(written.take(pa.array(index, mask=absent)), b"")
        match avro_type:
            case Record():
                return self._record(avro_type, values, rows)
            case Array():
                return self._array(avro_type, values, rows)
            case MapType():
                return self._map(avro_type, values, rows)
            case _:
                return self._scalar(avro_type, values, rows)

    def _record(self, record: Record, values: pa.Array, rows: Numbers) -> pa.Array:
        if not pa.types.is_struct(values.type):
            raise FormatError(f"{values.type} cannot be written as the record {record.label}")
        names = {field.name: index for index, field in enumerate(values.type)}
        flat = values.flatten()
        pieces = []
        for field in record.fields:
            if field.name in names:
                pieces.append(self.write(field.type, flat[names[field.name]], rows))
            else:
                pieces.append(self.write(field.type, pa.nulls(len(values), pa.string()), rows))
        return join(*pieces) if pieces else pa.array([b""] * len(values), pa.binary())

    def _union(self, union: Union, values: pa.Array, rows: Numbers) -> pa.Array:
        branches = solid_branches(union)
        missing = values.is_null().to_numpy(zero_copy_only=False)
        null_place = next((place for place, each in enumerate(union.branches) if each.kind is Kind.NULL), None)
        if null_place is None:
            self.bad[rows[missing]] = True
        choices = [(branches[0], values, ~missing)] if len(branches) == 1 else self._chosen(branches, values)
        written = only_where(missing, pa.repeat(pa.scalar(bytes([2 * (null_place or 0)]), pa.binary()), len(values)))
        for branch, column, chosen in choices:
            place = np.flatnonzero(chosen)
            part = self.write(branch, column if chosen.all() else column.take(pa.array(place)), rows[place])
            prefix = pa.scalar(bytes([2 * union.branches.index(branch)]), pa.binary())
            tagged = join(prefix, part)
            if chosen.all():
                return tagged
            index = np.full(len(values), -1, np.int64)
            index[place] = np.arange(len(place))
            written = join(written, pc.fill_null(tagged.take(pa.array(index, mask=index < 0)), b""))
        return written

    def _chosen(self, branches: list[AvroType], values: pa.Array) -> list[tuple[AvroType, pa.Array, Numbers]]:
        """A union of several types is a struct with one field each, of which one is set."""
        names = [field.name for field in values.type] if pa.types.is_struct(values.type) else []
        flat = values.flatten() if names else []
        found = []
        for branch in branches:
            if branch_name(branch) in names:
                column = flat[names.index(branch_name(branch))]
                found.append((branch, column, column.is_valid().to_numpy(zero_copy_only=False)))
        if not found:
            raise FormatError(f"{values.type} cannot be written as a union")
        return found

    def _array(self, array: Array, values: pa.Array, rows: Numbers) -> pa.Array:
        if pa.types.is_map(values.type) and map_entry(array) is not None:
            items = pa.StructArray.from_arrays([values.keys, values.items], ["key", "value"])
        else:
            items = values.values
        offsets = values.offsets.to_numpy()
        return self._blocks(self.write(array.items, *_owned(items, offsets, rows)), offsets)

    def _map(self, avro_map: MapType, values: pa.Array, rows: Numbers) -> pa.Array:
        offsets = values.offsets.to_numpy()
        keys, owners = _owned(values.keys, offsets, rows)
        items, _ = _owned(values.items, offsets, rows)
        written = join(
            sized(keys.cast(pa.string()).cast(pa.binary()), True), self.write(avro_map.values, items, owners)
        )
        return self._blocks(written, offsets)

    def _blocks(self, items: pa.Array, offsets: Numbers) -> pa.Array:
        """One block of all the items, none where there is none, and the end."""
        counts = np.diff(offsets)
        return join(only_where(counts > 0, zigzags(counts)), together(items, offsets - offsets[0]), _ZERO)

    def _scalar(self, avro_type: AvroType, values: pa.Array, rows: Numbers) -> pa.Array:
        try:
            return self._scalar_bytes(avro_type, values, rows)
        except (pa.ArrowException, ValueError, TypeError):
            raise FormatError(f"{values.type} cannot be written as Avro {avro_type.label}") from None

    def _scalar_bytes(self, avro_type: AvroType, values: pa.Array, rows: Numbers) -> pa.Array:
        match avro_type.kind:
            case Kind.INT | Kind.LONG:
                return zigzags(_integers(avro_type, values))
            case Kind.FLOAT:
                return fixed(values.cast(pa.float32(), safe=False).to_numpy(zero_copy_only=False))
            case Kind.DOUBLE:
                return fixed(values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False))
            case Kind.BOOLEAN:
                return fixed(values.cast(pa.bool_()).to_numpy(zero_copy_only=False).astype(np.uint8))
            case Kind.STRING:
                return sized(values.cast(pa.string()).cast(pa.binary()), True)
            case Kind.ENUM:
                return self._enum(avro_type, values, rows)
            case _:
                return self._bytes(avro_type, values, rows)

    def _enum(self, avro_type: AvroType, values: pa.Array, rows: Numbers) -> pa.Array:
        assert isinstance(avro_type, EnumType), "of this kind"
        index = pc.index_in(values.cast(pa.string()), pa.array(avro_type.symbols, pa.string()))
        self.bad[rows[index.is_null().to_numpy(zero_copy_only=False)]] = True
        return zigzags(pc.fill_null(index, 0).to_numpy(zero_copy_only=False))

    def _bytes(self, avro_type: AvroType, values: pa.Array, rows: Numbers) -> pa.Array:
        raw = values
        if logical_type(avro_type) == "decimal":
            scale = avro_type.props.get("scale", 0)
            raw = decimal_bytes(values.cast(pa.decimal128(38, scale if isinstance(scale, int) else 0)))
        if not isinstance(avro_type, Fixed):
            return sized(raw.cast(pa.binary()), True)
        lengths = np.diff(binary_parts(raw)[0])
        if logical_type(avro_type) == "decimal":
            return _widened(raw, lengths, avro_type.size, self.bad, rows)
        self.bad[rows[lengths != avro_type.size]] = True
        return raw.cast(pa.binary())


def _widened(raw: pa.Array, lengths: Numbers, size: int, bad: Numbers, rows: Numbers) -> pa.Array:
    """Big endian numbers filled up on the left with their sign."""
    bad[rows[lengths > size]] = True
    offsets, data = binary_parts(raw)
    negative = data[offsets[:-1]] >= 0x80
    needed = np.maximum(size - lengths, 0)
    ends = np.concatenate(([0], np.cumsum(needed)))
    fill = np.repeat(np.where(negative, 0xFF, 0).astype(np.uint8), needed)
    return join(binary_of(ends, fill), raw)


def _integers(avro_type: AvroType, values: pa.Array) -> Numbers:
    logical = logical_type(avro_type) or ""
    if pa.types.is_timestamp(values.type):
        unit = logical.rpartition("-")[2]
        micros = _numpy(values.cast(pa.timestamp("us", values.type.tz)).view(pa.int64()))
        found: Numbers = micros * 1000 if unit == "nanos" else micros // _DIVISORS.get(unit, 1)
        return found
    if pa.types.is_date32(values.type):
        return _numpy(values.view(pa.int32()))
    if not pa.types.is_integer(values.type):
        raise FormatError(f"{values.type} cannot be written as Avro {avro_type.label}")
    return _numpy(values.cast(pa.int32() if avro_type.kind is Kind.INT else pa.int64()))


def _numpy(values: pa.Array) -> Numbers:
    found: Numbers = values.to_numpy(zero_copy_only=False).astype(np.int64)
    return found


def _owned(items: pa.Array, offsets: Numbers, rows: Numbers) -> tuple[pa.Array, Numbers]:
    """The items that the offsets span, and the row of each."""
    start, end = int(offsets[0]), int(offsets[-1])
    return items.slice(start, end - start), np.repeat(rows, np.diff(offsets))
