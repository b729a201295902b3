"""The SQL type of a Protobuf message, by way of what Connect makes of it."""

from __future__ import annotations

from typing import Any

from riacho.pipelines.sql.formats import protobuf_shape as shape
from riacho.pipelines.sql.formats.inferred_names import (
    DECIMAL_PRECISION_DEFAULT,
    NESTING_MAX,
    Naming,
    UnsupportedTypeError,
    struct_of,
)
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
from riacho.schemas.protobuf.elements import Message
from riacho.schemas.protobuf.field_meta import field_params
from riacho.schemas.protobuf.schema import ProtobufSchema

_CONNECT = {
    "int32": INTEGER,
    "int64": BIGINT,
    "float32": DOUBLE,
    "float64": DOUBLE,
    "boolean": BOOLEAN,
    "string": STRING,
    "bytes": BYTES,
}
_TIMES = {shape.DATE: DATE, shape.TIME: TIME, shape.TIMESTAMP: TIMESTAMP}
_MAP_KEYS = ("int32", "int64", "boolean", "string")


class ProtobufTypes:
    """`wrappers`: whether a message such as Int32Value is a scalar that may be null, rather than a struct."""

    def __init__(self, schema: ProtobufSchema, naming: Naming, wrappers: bool = False) -> None:
        self._schema = schema
        self._naming = naming
        self._wrappers = wrappers

    def message(self, message: Any, outer: tuple[str, ...] = ()) -> SqlType:
        """UnsupportedTypeError where ksqlDB has none."""
        if message.full_name in outer or len(outer) > NESTING_MAX:
            raise UnsupportedTypeError("Unsupported type: recursive")
        inside = (*outer, message.full_name)
        parts: list[tuple[str, Any]] = []
        for name, oneof in shape.oneofs(message):
            parts.append((name, lambda oneof=oneof: self._choices(oneof, inside)))
        for field in shape.plain_fields(message):
            parts.append((field.name, lambda field=field: self._field(field, inside)))
        return struct_of(parts, self._naming)

    def _choices(self, oneof: Any, inside: tuple[str, ...]) -> SqlType:
        parts = [(field.name, lambda field=field: self._field(field, inside)) for field in oneof.fields]
        return struct_of(parts, self._naming)

    def _field(self, field: Any, inside: tuple[str, ...]) -> SqlType:
        if shape.is_map(field):
            key, value = field.message_type.fields
            if shape.connect_name(key) not in _MAP_KEYS:
                raise UnsupportedTypeError(f"Unsupported type for map key: {shape.connect_name(key)}")
            return Map(STRING, self._field(value, inside))
        found = self._value(field, inside)
        return Array(found) if field.is_repeated else found

    def _value(self, field: Any, inside: tuple[str, ...]) -> SqlType:
        given = shape.value_name(field)
        if not shape.is_message(field):
            return _CONNECT[given]
        name = field.message_type.full_name
        if name == shape.DECIMAL:
            return self._decimal(field)
        if name in _TIMES:
            return _TIMES[name]
        if self._wrappers and shape.is_wrapper(field):
            return self._value(field.message_type.fields_by_name["value"], inside)
        return self.message(field.message_type, inside)

    def _decimal(self, field: Any) -> SqlType:
        params = self._params(field)
        precision = _number(params.get("precision"), DECIMAL_PRECISION_DEFAULT)
        return Decimal(precision, _number(params.get("scale"), 0))

    def _params(self, field: Any) -> dict[str, str]:
        """What the field's options say; the runtime's descriptors have no extensions, so they are read as written."""
        full_name = field.containing_type.full_name
        for file in self._schema.file.needed():
            entry = file.types.get(full_name)
            if entry is not None and isinstance(entry.element, Message):
                own = [*entry.element.fields, *(each for oneof in entry.element.oneofs for each in oneof.fields)]
                return next((field_params(each, file, full_name) for each in own if each.name == field.name), {})
        return {}


def _number(text: str | None, default: int) -> int:
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 4 else default
