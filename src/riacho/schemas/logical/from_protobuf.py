"""Protobuf as columns. A file of one message is that message; one of several has a column for each of them.

A oneof is a union that follows the other columns. Lists and maps that are left out are empty, so they have a default;
numbers and texts that are left out have none, as a table does not tell nothing from zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from riacho.schemas.logical.naming import Naming
from riacho.schemas.logical.types import (
    LENGTH_MAX,
    Column,
    Kind,
    LogicalSchema,
    LogicalType,
    UnrepresentableError,
    array,
    decimal,
    enumeration,
    map_of,
    plain,
    sized,
    struct,
    temporal,
    union,
)
from riacho.schemas.protobuf.elements import SCALARS, Enum, Field, Group, Message, OneOf
from riacho.schemas.protobuf.field_meta import field_params
from riacho.schemas.protobuf.files import ProtoFile, TypeEntry
from riacho.schemas.protobuf.schema import ProtobufSchema

Params = Mapping[str, str]
_SCALARS = {
    **dict.fromkeys(("int32", "sint32", "sfixed32"), Kind.INT),
    **dict.fromkeys(("uint32", "fixed32", "int64", "uint64", "sint64", "fixed64", "sfixed64"), Kind.BIGINT),
    "float": Kind.FLOAT,
    "double": Kind.DOUBLE,
    "bool": Kind.BOOLEAN,
}
_SMALL_INTEGERS = {"int8": Kind.TINYINT, "int16": Kind.SMALLINT}
_WRAPPERS = {
    "DoubleValue": Kind.DOUBLE,
    "FloatValue": Kind.FLOAT,
    "Int64Value": Kind.BIGINT,
    "UInt64Value": Kind.BIGINT,
    "UInt32Value": Kind.BIGINT,
    "Int32Value": Kind.INT,
    "BoolValue": Kind.BOOLEAN,
    "StringValue": Kind.VARCHAR,
    "BytesValue": Kind.VARBINARY,
}
_CONTAINERS = (Kind.ARRAY, Kind.MAP, Kind.MULTISET)
# The field of a message that stands where Protobuf has no list, map or oneof.
_WRAPPED = "value"


class _Place(NamedTuple):
    """A message's file and full name, in which names of types are looked up."""

    file: ProtoFile
    scope: str


def from_protobuf(schema: ProtobufSchema) -> LogicalSchema:
    naming = Naming()
    return naming.finish(_Columns(naming).root_of(schema.file))


class _Columns:
    def __init__(self, naming: Naming) -> None:
        self._naming = naming

    def root_of(self, file: ProtoFile) -> LogicalType:
        package = file.element.package
        names = [f"{package}.{message.name}" if package else message.name for message in file.element.messages]
        if not names:
            return self._exported(file)
        entries = [file.types[name] for name in names]
        if len(entries) == 1:
            return _well_known(entries[0].full_name, {}) or self._message_type(entries[0], False)
        return struct(Column(entry.full_name, self._message_type(entry, True)) for entry in entries)

    def _exported(self, file: ProtoFile) -> LogicalType:
        """A file that only passes others on names their first type, and defines none."""
        names = [name for other in file.exporting() if other is not file for name in other.types]
        if not names or file.element.enums:
            raise UnrepresentableError("the file has no message")
        return LogicalType(kind=Kind.NAMED, name=names[0])

    def _message_type(self, entry: TypeEntry, is_nullable: bool) -> LogicalType:
        def make() -> LogicalType:
            assert isinstance(entry.element, Message)
            return self._message(entry.element, _Place(entry.file, entry.full_name))

        return self._naming.named(entry.full_name, make, is_nullable)

    def _message(self, message: Message, place: _Place) -> LogicalType:
        columns = [self._column(field, place) for field in message.fields]
        columns += [self._group(group, place) for group in message.groups]
        for oneof in message.oneofs:
            columns.append(Column(oneof.name, self._oneof(oneof, place, 0)))
        return struct(columns)

    def _column(self, field: Field, place: _Place) -> Column:
        column = self._field(field, place, 0)
        is_empty_list = column.kind in _CONTAINERS and not column.is_nullable
        params = field_params(field, *place)
        return Column(field.name, column, field.default is not None or "logical.default" in params or is_empty_list)

    def _group(self, group: Group, place: _Place) -> Column:
        entry = place.file.types[f"{place.scope}.{group.message.name}"]
        column = self._message_type(entry, True)
        if group.label == "repeated":
            return Column(group.message.name.lower(), array(column.nullable(False)), True)
        return Column(group.message.name.lower(), column)

    def _oneof(self, oneof: OneOf, place: _Place, depth: int) -> LogicalType:
        branches = [Column(field.name, self._field(field, place, depth + 1)) for field in oneof.fields]
        branches += [self._group(group, place) for group in oneof.groups]
        return union(branches, True)

    def _field(self, field: Field, place: _Place, depth: int) -> LogicalType:
        self._naming.check(depth)
        params = field_params(field, *place)
        entry = None if field.type in SCALARS else place.file.resolve(field.type, place.scope)
        message = entry.element if entry is not None and isinstance(entry.element, Message) else None
        is_list = field.label == "repeated" or field.key_type is not None
        is_nullable = message is not None and not is_list
        if "flink.notNull" in params:
            is_nullable = params["flink.notNull"].lower() != "true"
        if field.key_type is not None:
            return self._map(field, place, params, is_nullable, depth)
        if is_list and message is not None and _is_entry(message):
            assert entry is not None
            return self._entries(message, _Place(entry.file, entry.full_name), params, is_nullable, depth)
        is_wrapped = params.get("flink.wrapped", "").lower() == "true"
        if is_wrapped and entry is not None and message is not None:
            payload = self._payload(entry, depth + 1)
            return array(payload, is_nullable) if is_list else payload.nullable()
        if is_list:
            return array(self._single(field, entry, params, False), is_nullable)
        return self._single(field, entry, params, is_nullable or field.label == "optional")

    def _single(self, field: Field, entry: TypeEntry | None, params: Params, is_nullable: bool) -> LogicalType:
        if entry is None:
            if field.type not in SCALARS:
                raise UnrepresentableError(f"the type {field.type!a} is not known")
            return _scalar(field.type, params).nullable(is_nullable)
        if isinstance(entry.element, Enum):
            symbols = [constant.name for constant in entry.element.constants]
            return self._naming.named(entry.full_name, lambda: enumeration(symbols), is_nullable)
        known = _well_known(entry.full_name, params)
        if known is None:
            return self._message_type(entry, is_nullable)
        return known.nullable(known.is_nullable or is_nullable)

    def _map(self, field: Field, place: _Place, params: Params, is_nullable: bool, depth: int) -> LogicalType:
        """In proto2 the two fields of an entry are optional, as all are there that do not say otherwise."""
        is_proto2 = place.file.element.edition is None and place.file.element.syntax != "proto3"
        assert field.key_type is not None
        label = "optional" if is_proto2 else None
        key = self._field(Field("key", field.key_type, 1, label), place, depth + 1)
        value = self._field(Field("value", field.type, 2, label), place, depth + 1)
        return map_of(key, value, is_nullable, is_multiset=params.get("flink.type") == "multiset")

    def _entries(self, message: Message, place: _Place, params: Params, is_nullable: bool, depth: int) -> LogicalType:
        """A map that somebody wrote out, or a descriptor has."""
        parts = {field.name: self._field(field, place, depth + 1) for field in message.fields}
        parts |= {oneof.name: self._oneof(oneof, place, depth + 1) for oneof in message.oneofs}
        is_multiset = params.get("flink.type") == "multiset"
        return map_of(parts["key"], parts["value"], is_nullable, is_multiset=is_multiset)

    def _payload(self, entry: TypeEntry, depth: int) -> LogicalType:
        assert isinstance(entry.element, Message)
        place = _Place(entry.file, entry.full_name)
        for field in entry.element.fields:
            if field.name == _WRAPPED:
                return self._field(field, place, depth)
        for oneof in entry.element.oneofs:
            if oneof.name == _WRAPPED:
                return self._oneof(oneof, place, depth)
        raise UnrepresentableError(f"{entry.full_name} wraps nothing that is called {_WRAPPED}")


def _is_entry(message: Message) -> bool:
    """By its looks: a name that ends so, a key, which may be a oneof, a value, and nothing else."""
    fields = {field.name for field in message.fields}
    names = fields | {oneof.name for oneof in message.oneofs}
    count = len(message.fields) + len(message.groups) + len(message.oneofs)
    return message.name.endswith("Entry") and count == 2 and names == {"key", "value"} and "value" in fields


def _scalar(name: str, params: Params) -> LogicalType:
    if name in ("string", "bytes"):
        fixed, varying = (Kind.CHAR, Kind.VARCHAR) if name == "string" else (Kind.BINARY, Kind.VARBINARY)
        shortest, longest = _integer(params, "flink.minLength", -1), _integer(params, "flink.maxLength", LENGTH_MAX)
        return sized(fixed if 0 < shortest == longest else varying, longest)
    kind = _SCALARS[name]
    if kind is Kind.INT:
        kind = _SMALL_INTEGERS.get(params.get("connect.type", ""), kind)
    return plain(kind)


def _well_known(name: str, params: Params) -> LogicalType | None:
    """Messages that stand for a value. Those that wrap a number or a text are there to be null."""
    match name:
        case "confluent.type.Decimal":
            return decimal(_number(params, "precision", 10), _number(params, "scale", 0))
        case "confluent.type.Variant":
            return plain(Kind.VARIANT)
        case "google.type.Date":
            return plain(Kind.DATE)
        case "google.type.TimeOfDay":
            return temporal(Kind.TIME, _integer(params, "flink.precision", 9))
        case "google.protobuf.Timestamp":
            kind = Kind.TIMESTAMP if params.get("flink.type") == "timestamp" else Kind.TIMESTAMP_LTZ
            return temporal(kind, _integer(params, "flink.precision", 9))
    package, _, simple = name.rpartition(".")
    return plain(_WRAPPERS[simple], True) if package == "google.protobuf" and simple in _WRAPPERS else None


def _integer(params: Params, name: str, otherwise: int) -> int:
    try:
        return int(params[name]) if name in params else otherwise
    except ValueError:
        raise UnrepresentableError(f"{name} is no integer") from None


def _number(params: Params, name: str, otherwise: int) -> int:
    """What is no integer here is as good as left out."""
    try:
        return _integer(params, name, otherwise)
    except UnrepresentableError:
        return otherwise
