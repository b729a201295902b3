"""The SQL type of an Avro schema, by way of what Connect makes of it."""

from __future__ import annotations

from riacho.pipelines.sql.formats.avro_shape import branch_name, decimal_shape, entry_of, without_null
from riacho.pipelines.sql.formats.inferred_names import NESTING_MAX, Naming, UnsupportedTypeError, struct_of
from riacho.pipelines.sql.types import (
    BIGINT,
    BOOLEAN,
    BYTES,
    DATE,
    DOUBLE,
    INTEGER,
    STRING,
    TIME,
    TIMESTAMP,
    Array,
    Decimal,
    Map,
    SqlType,
)
from riacho.schemas.avro import types as avro
from riacho.schemas.avro.logical_types import logical_type

_KINDS = {
    avro.Kind.BOOLEAN: BOOLEAN,
    avro.Kind.INT: INTEGER,
    avro.Kind.LONG: BIGINT,
    avro.Kind.FLOAT: DOUBLE,
    avro.Kind.DOUBLE: DOUBLE,
    avro.Kind.STRING: STRING,
    avro.Kind.ENUM: STRING,
    avro.Kind.BYTES: BYTES,
    avro.Kind.FIXED: BYTES,
}
_LOGICAL = {"date": DATE, "time-millis": TIME, "timestamp-millis": TIMESTAMP}
_MAP_KEYS = (avro.Kind.INT, avro.Kind.LONG, avro.Kind.BOOLEAN, avro.Kind.STRING, avro.Kind.ENUM)


def avro_sql_type(given: avro.AvroType, naming: Naming, outer: tuple[avro.AvroType, ...] = ()) -> SqlType:
    """UnsupportedTypeError where ksqlDB has none. `outer`: the types around it, in which a recursive one is again."""
    kind = without_null(given)
    if any(kind is each for each in outer) or len(outer) > NESTING_MAX:
        raise UnsupportedTypeError("Unsupported type: recursive")
    inside = (*outer, kind)
    decimal = decimal_shape(kind)
    if decimal is not None:
        return Decimal(*decimal)
    match kind:
        case avro.Record():
            return struct_of(((f.name, lambda f=f: avro_sql_type(f.type, naming, inside)) for f in kind.fields), naming)  # type: ignore[misc]
        case avro.Union():
            branches = [branch for branch in kind.branches if branch.kind is not avro.Kind.NULL]
            return struct_of(
                ((branch_name(b), lambda b=b: avro_sql_type(b, naming, inside)) for b in branches),  # type: ignore[misc]
                naming,
            )
        case avro.Array():
            entry = entry_of(kind)
            if entry is None:
                return Array(avro_sql_type(kind.items, naming, inside))
            _check_key(without_null(entry.by_name["key"].type))
            return Map(STRING, avro_sql_type(entry.by_name["value"].type, naming, inside))
        case avro.MapType():
            return Map(STRING, avro_sql_type(kind.values, naming, inside))
        case _:
            return _scalar(kind)


def _check_key(key: avro.AvroType) -> None:
    if key.kind not in _MAP_KEYS:
        raise UnsupportedTypeError(f"Unsupported type for map key: {key.kind.value}")


def _scalar(kind: avro.AvroType) -> SqlType:
    logical = _LOGICAL.get(logical_type(kind) or "")
    if logical is not None:
        return logical
    found = _KINDS.get(kind.kind)
    if found is None:
        raise UnsupportedTypeError(f"Unsupported type: {kind.kind.value}")
    return found
