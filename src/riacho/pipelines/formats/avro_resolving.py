"""A column read with the writer's schema, as the reader's schema wants it: Avro's resolution, a column at a time.

Fields go by name or alias, new ones take their default, numbers widen. FormatError where the two cannot be joined.
"""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from riacho.pipelines.formats.avro_types import branch_name, decimal_shape, map_entry, solid_branches, spark_field
from riacho.pipelines.formats.byte_columns import decimals
from riacho.pipelines.formats.column_types import FormatError, arrow_type
from riacho.schemas.avro.logical_types import logical_type
from riacho.schemas.avro.types import Array, AvroType, EnumType, Kind, MapType, Record, RecordField, Union

_WIDER = {
    Kind.INT: (Kind.LONG, Kind.FLOAT, Kind.DOUBLE),
    Kind.LONG: (Kind.FLOAT, Kind.DOUBLE),
    Kind.FLOAT: (Kind.DOUBLE,),
    Kind.STRING: (Kind.BYTES,),
    Kind.BYTES: (Kind.STRING,),
}


def resolve(values: pa.Array, writer: AvroType, reader: AvroType) -> pa.Array:
    target = arrow_type(spark_field("", reader).dataType)
    if isinstance(writer, Union) or isinstance(reader, Union):
        return _through_unions(values, writer, reader, target)
    if isinstance(writer, Record) and isinstance(reader, Record):
        return _record(values, writer, reader, target)
    if isinstance(writer, Array) and isinstance(reader, Array) and map_entry(reader) is None:
        inner = resolve(values.values, writer.items, reader.items)
        mask = values.is_null() if values.null_count else None
        return pa.ListArray.from_arrays(values.offsets, inner, mask=mask).cast(target)
    if isinstance(writer, MapType) and isinstance(reader, MapType):
        inner = resolve(values.items, writer.values, reader.values)
        mask = values.is_null() if values.null_count else None
        return pa.MapArray.from_arrays(values.offsets, values.keys, inner, mask=mask).cast(target)
    if isinstance(writer, EnumType) and isinstance(reader, EnumType):
        return _enum(values, reader)
    if writer.kind is not reader.kind and reader.kind not in _WIDER.get(writer.kind, ()):
        raise FormatError(f"{_shown(writer)} cannot be read as {_shown(reader)}")
    return _cast(values, target, writer, reader)


def _record(values: pa.Array, writer: Record, reader: Record, target: pa.DataType) -> pa.Array:
    written = {field.name: index for index, field in enumerate(writer.fields)}
    columns = []
    for field in reader.fields:
        name = next((each for each in (field.name, *field.aliases) if each in written), None)
        if name is not None:
            source = writer.fields[written[name]]
            columns.append(resolve(values.field(written[name]), source.type, field.type))
        else:
            columns.append(_defaults(field, reader, len(values)))
    mask = values.is_null() if values.null_count else None
    return pa.StructArray.from_arrays(columns, fields=list(target), mask=mask)


def _defaults(field: RecordField, record: Record, count: int) -> pa.Array:
    if not field.has_default:
        raise FormatError(f"The field {field.name} of {record.label} was not written and has no default")
    value = default_value(field.type, field.default)
    kind = arrow_type(spark_field("", field.type).dataType)
    return pa.array([value], kind).take(pa.array(np.zeros(count, np.int64)))


def default_value(avro_type: AvroType, default: object) -> object:
    """A default of a schema (JSON) as the value that it stands for."""
    match avro_type:
        case Union():
            return _union_default(avro_type, default)
        case Record() if isinstance(default, dict):
            return {
                field.name: default_value(field.type, default.get(field.name, field.default))
                for field in avro_type.fields
            }
        case Array() if isinstance(default, list):
            return [default_value(avro_type.items, each) for each in default]
        case MapType() if isinstance(default, dict):
            return [(key, default_value(avro_type.values, each)) for key, each in default.items()]
        case _:
            return _scalar_default(avro_type, default)


def _union_default(union: Union, default: object) -> object:
    branches = solid_branches(union)
    if default is None or not branches:
        return None
    first = default_value(branches[0], default)
    return first if len(branches) == 1 else {branch_name(branches[0]): first}


def _scalar_default(avro_type: AvroType, default: object) -> object:
    if avro_type.kind not in (Kind.BYTES, Kind.FIXED) or not isinstance(default, str):
        logical = logical_type(avro_type) or ""
        return default * 1000 if isinstance(default, int) and logical.endswith("timestamp-millis") else default
    raw = default.encode("latin-1", "replace")
    if logical_type(avro_type) != "decimal":
        return raw
    precision, scale = decimal_shape(avro_type)
    found = decimals(pa.array([raw], pa.binary()), precision, scale, np.zeros(1, bool))[0].as_py()
    return found if isinstance(found, Decimal) else None


def _enum(values: pa.Array, reader: EnumType) -> pa.Array:
    known = pc.is_in(values, pa.array(reader.symbols, pa.string()))
    if pc.all(pc.or_kleene(known, values.is_null())).as_py() is not False:
        return values
    if reader.default is None:
        raise FormatError(f"The enum {reader.label} lacks a symbol that was written, and has no default")
    return pc.if_else(known, values, reader.default)


def _through_unions(values: pa.Array, writer: AvroType, reader: AvroType, target: pa.DataType) -> pa.Array:
    """Null is a matter of the column, so optional and not optional are alike; wider unions have to be the same."""
    given = solid_branches(writer) if isinstance(writer, Union) else [writer]
    wanted = solid_branches(reader) if isinstance(reader, Union) else [reader]
    if len(given) == 1 and len(wanted) == 1:
        return resolve(values, given[0], wanted[0])
    if not given or not wanted:
        return pa.nulls(len(values), target)
    if values.type == target:
        return values
    if len(given) == 1:
        return _into_branch(values, given[0], wanted, target)
    raise FormatError(f"{_shown(writer)} cannot be read as {_shown(reader)}")


def _into_branch(values: pa.Array, given: AvroType, wanted: list[AvroType], target: pa.DataType) -> pa.Array:
    for index, branch in enumerate(wanted):
        if branch.kind is given.kind and branch.label == given.label:
            columns = [
                resolve(values, given, branch) if place == index else pa.nulls(len(values), field.type)
                for place, field in enumerate(target)
            ]
            return pa.StructArray.from_arrays(columns, fields=list(target), mask=values.is_null())
    raise FormatError(f"{_shown(given)} is none of the types of the reader's union")


def _cast(values: pa.Array, target: pa.DataType, writer: AvroType, reader: AvroType) -> pa.Array:
    if values.type == target:
        return values
    try:
        return values.cast(target, safe=not pa.types.is_floating(target))
    except pa.ArrowException:
        raise FormatError(f"{_shown(writer)} cannot be read as {_shown(reader)}") from None


def _shown(avro_type: AvroType) -> str:
    return f"{avro_type.label} ({logical_type(avro_type)})" if logical_type(avro_type) else avro_type.label
