"""The .proto text that columns are registered with: as Connect's converter, which ksqlDB uses, names and numbers it.

Messages without a name of their own are `ConnectDefault1`, `ConnectDefault2` and so on in the order in which they come.
A scalar has no null unless the property PROTOBUF_NULLABLE_REPRESENTATION says by what: OPTIONAL fields, or WRAPPER
messages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.types import Array, Base, Decimal, Field, Map, Primitive, SqlType, Struct

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DEFAULT_NAME = "ConnectDefault"
_SCALARS = {
    Base.BOOLEAN: "bool",
    Base.INTEGER: "int32",
    Base.BIGINT: "int64",
    Base.DOUBLE: "double",
    Base.STRING: "string",
    Base.BYTES: "bytes",
}
_WRAPPERS = {
    Base.BOOLEAN: "google.protobuf.BoolValue",
    Base.INTEGER: "google.protobuf.Int32Value",
    Base.BIGINT: "google.protobuf.Int64Value",
    Base.DOUBLE: "google.protobuf.DoubleValue",
    Base.STRING: "google.protobuf.StringValue",
    Base.BYTES: "google.protobuf.BytesValue",
}
_MESSAGES = {
    Base.TIME: ("google.type.TimeOfDay", "google/type/timeofday.proto"),
    Base.DATE: ("google.type.Date", "google/type/date.proto"),
    Base.TIMESTAMP: ("google.protobuf.Timestamp", "google/protobuf/timestamp.proto"),
}


def protobuf_schema(columns: Sequence[Field], full_name: str | None = None, nullable: str | None = None) -> str:
    """KsqlError for what Protobuf has no form for."""
    return _Schema((nullable or "").upper()).text(columns, full_name)


class _Schema:
    def __init__(self, nullable: str) -> None:
        self._nullable = nullable
        self._imports: dict[str, None] = {}
        self._unnamed = 0

    def text(self, columns: Sequence[Field], full_name: str | None) -> str:
        named = full_name if full_name and not full_name.strip().startswith(_DEFAULT_NAME) else self._next_name()
        space, _, simple = named.strip().rpartition(".")
        message = "".join(self._message(simple, columns, ""))
        head = 'syntax = "proto3";\n' + (f"package {space};\n" if space else "")
        return head + "".join(f'import "{path}";\n' for path in sorted(self._imports)) + message

    def _next_name(self) -> str:
        self._unnamed += 1
        return f"{_DEFAULT_NAME}{self._unnamed}"

    def _message(self, name: str, fields: Sequence[Field], indent: str) -> list[str]:
        inner: list[str] = []
        lines = [f"{indent}message {name} {{\n"]
        for number, field in enumerate(fields, 1):
            lines += self._field(field, number, inner, indent + "  ")
        return [*lines, *inner, f"{indent}}}\n"]

    def _field(self, field: Field, number: int, inner: list[str], indent: str) -> list[str]:
        if not _NAME.fullmatch(field.name):
            raise KsqlError(f'Schema is not compatible with Protobuf: "{field.name}" is not a valid identifier.')
        match field.type:
            case Array(item):
                typed, params = self._type(item, inner, indent)
                label = "repeated "
            case Map(key, value):
                typed, params, label = self._map(key, value, inner, indent), "", ""
            case _:
                typed, params = self._type(field.type, inner, indent)
                is_scalar = isinstance(field.type, Primitive) and field.type.base in _SCALARS
                label = "optional " if self._nullable == "OPTIONAL" and is_scalar else ""
        return [f"{indent}{label}{typed} {field.name} = {number}{params};\n"]

    def _map(self, key: SqlType, value: SqlType, inner: list[str], indent: str) -> str:
        """What the text form of maps cannot hold, or would lose, is a list of messages that are entries on the wire."""
        name = f"{self._next_name()}Entry"
        assert isinstance(key, Primitive), "other maps are refused before"
        key_name = _SCALARS[key.base]
        if isinstance(value, Primitive | Struct):
            return f"map<{key_name}, {self._type(value, inner, indent)[0]}>"
        below = indent + "  "
        within: list[str] = []
        fields = [f"{below}{key_name} key = 1;\n", *self._field(Field("value", value), 2, within, below)]
        inner += [f"{indent}message {name} {{\n", *fields, *within, f"{indent}}}\n"]
        return f"repeated {name}"

    def _type(self, kind: SqlType, inner: list[str], indent: str) -> tuple[str, str]:
        """The type's name, and the options of a field that has it."""
        match kind:
            case Primitive(base) if base in _MESSAGES:
                name, path = _MESSAGES[base]
                self._imports[path] = None
                return name, ""
            case Primitive(base) if self._nullable == "WRAPPER":
                self._imports["google/protobuf/wrappers.proto"] = None
                return _WRAPPERS[base], ""
            case Primitive(base):
                return _SCALARS[base], ""
            case Decimal(precision, scale):
                self._imports |= {"confluent/meta.proto": None, "confluent/type/decimal.proto": None}
                entries = f'{{key: "precision", value: "{precision}"}}, {{key: "scale", value: "{scale}"}}'
                return "confluent.type.Decimal", f" [(confluent.field_meta) = {{params: [{entries}]}}]"
            case Struct(fields):
                name = self._next_name()
                inner += self._message(name, fields, indent)
                return name, ""
            case Map():
                raise KsqlError("Map cannot be nested in an array")
            case _:
                raise KsqlError("Array cannot be nested")
