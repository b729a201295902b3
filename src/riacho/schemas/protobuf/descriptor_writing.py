"""From elements to a FileDescriptorProto, with every type under its full name.

Messages keep their order, since the payload's message indexes count them. Messages that the file does not spell out
(those of maps and groups) come after the others, where the registry puts them too.
"""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2  # type: ignore[import-untyped]

from riacho.schemas.parsed import SchemaError
from riacho.schemas.protobuf.descriptor_options import write_options
from riacho.schemas.protobuf.elements import (
    MAX_ENUM_NUMBER,
    MAX_FIELD_NUMBER,
    SCALARS,
    Constant,
    Enum,
    Extend,
    Field,
    Group,
    Literal,
    Message,
    Option,
    Range,
    Ranges,
    Service,
)
from riacho.schemas.protobuf.files import ProtoFile, TypeEntry
from riacho.schemas.protobuf.scalars import LABELS, TYPES, default_text


def write_descriptor(file: ProtoFile, name: str, pool: Any = None) -> tuple[descriptor_pb2.FileDescriptorProto, bool]:
    """The descriptor, and whether options were left out: those that are extensions need a pool that knows them."""
    writer = _DescriptorWriter(file, pool)
    try:
        return writer.file(name), writer.left_out
    except (ValueError, TypeError) as error:
        if isinstance(error, SchemaError):
            raise
        raise SchemaError(f"The schema cannot be made into a descriptor: {error}") from None


def map_entry_name(field_name: str) -> str:
    """protoc's name for the message of a map: `my_map` has MyMapEntry."""
    return "".join(part[:1].upper() + part[1:] for part in field_name.split("_")) + "Entry"


class _DescriptorWriter:
    def __init__(self, file: ProtoFile, pool: Any) -> None:
        self._file = file
        self._pool = pool
        self.left_out = False
        self._is_proto3 = file.element.syntax == "proto3"

    def file(self, name: str) -> descriptor_pb2.FileDescriptorProto:
        element = self._file.element
        target = descriptor_pb2.FileDescriptorProto(name=name, package=element.package)
        if self._is_proto3:
            target.syntax = "proto3"
        elif element.edition is not None:
            target.syntax = "editions"
            target.edition = descriptor_pb2.Edition.Value(f"EDITION_{element.edition}")
        target.dependency.extend(dict.fromkeys(element.all_imports()))
        paths = list(target.dependency)
        target.public_dependency.extend(dict.fromkeys(map(paths.index, element.public_imports)))
        target.weak_dependency.extend(dict.fromkeys(map(paths.index, element.weak_imports)))
        scope = element.package or ""
        for message in element.messages:
            self._message(target.message_type.add(), message, scope)
        for enum in element.enums:
            self._enum(target.enum_type.add(), enum, scope)
        for extend in element.extends:
            self._extend(target.extension, target.message_type, extend, scope)
        for service in element.services:
            self._service(target.service.add(), service, scope)
        self._options(target, element.options, scope)
        return target

    def _options(self, target: Any, options: tuple[Option, ...], scope: str) -> None:
        if not options:
            return
        if self._pool is None and any(part.is_extension for option in options for part in option.parts):
            self.left_out = True

        def full_name(name: str) -> str | None:
            entry = self._file.resolve_extension(name, scope)
            return None if entry is None else entry.full_name

        write_options(target.options, options, self._pool, full_name)

    def _message(self, target: Any, message: Message, scope: str) -> None:
        target.name = message.name
        scope = f"{scope}.{message.name}" if scope else message.name
        for nested in message.messages:
            self._message(target.nested_type.add(), nested, scope)
        for enum in message.enums:
            self._enum(target.enum_type.add(), enum, scope)
        for index, oneof in enumerate(message.oneofs):
            self._options(target.oneof_decl.add(name=oneof.name), oneof.options, scope)
            for field in oneof.fields:
                self._field(target.field.add(oneof_index=index), field, scope)
            for group in oneof.groups:
                self._group(target.field.add(oneof_index=index), target.nested_type, group, scope)
        for field in message.fields:
            self._message_field(target, field, scope)
        for group in message.groups:
            self._group(target.field.add(), target.nested_type, group, scope)
        self._add_presence(target)
        for extend in message.extends:
            self._extend(target.extension, target.nested_type, extend, scope)
        self._options(target, message.options, scope)
        self._ranges(target, message, scope)

    def _ranges(self, target: Any, message: Message, scope: str) -> None:
        most = MAX_ENUM_NUMBER - 1 if target.options.message_set_wire_format else MAX_FIELD_NUMBER
        for ranges in message.extensions:
            for start, end in _bounds(ranges):
                end = most if end == MAX_FIELD_NUMBER else end
                self._options(target.extension_range.add(start=start, end=end + 1), ranges.options, scope)
        for ranges in message.reserved:
            for start, end in _bounds(ranges):
                target.reserved_range.add(start=start, end=end + 1)
            target.reserved_name.extend(_names(ranges))

    def _message_field(self, target: Any, field: Field, scope: str) -> None:
        added = target.field.add()
        if field.key_type is not None:
            self._map(added, target.nested_type.add(), field, scope)
            return
        self._field(added, field, scope)
        if self._is_proto3 and field.label == "optional":
            added.proto3_optional = True

    @staticmethod
    def _add_presence(target: Any) -> None:
        """proto3 knows whether an optional field is set by giving it a oneof of its own, after all others."""
        taken = {item.name for item in (*target.field, *target.oneof_decl, *target.nested_type, *target.enum_type)}
        for field in target.field:
            if field.proto3_optional:
                name = f"_{field.name}"
                while name in taken:
                    name = f"X{name}"
                taken.add(name)
                field.oneof_index = len(target.oneof_decl)
                target.oneof_decl.add(name=name)

    def _map(self, target: Any, entry: Any, field: Field, scope: str) -> None:
        entry.name = map_entry_name(field.name)
        entry.options.map_entry = True
        for name, number, type_name in (("key", 1, field.key_type or ""), ("value", 2, field.type)):
            self._field(entry.field.add(), Field(name, type_name, number), scope)
        target.name, target.number = field.name, field.number
        target.label, target.type = LABELS["repeated"], TYPES["message"]
        target.type_name = f".{scope}.{entry.name}"
        self._field_extras(target, field, scope)

    def _field(self, target: Any, field: Field, scope: str) -> None:
        target.name, target.number = field.name, field.number
        target.label = LABELS[field.label or "optional"]
        if field.type in SCALARS:
            target.type = TYPES[field.type]
        else:
            entry = self._resolve(field.type, scope)
            target.type = TYPES["message" if isinstance(entry.element, Message) else "enum"]
            target.type_name = f".{entry.full_name}"
        self._field_extras(target, field, scope)

    def _field_extras(self, target: Any, field: Field, scope: str) -> None:
        if field.json_name is not None:
            target.json_name = field.json_name
        if field.default is not None:
            if target.type == TYPES["enum"] and isinstance(field.default, Literal):
                target.default_value = field.default.text
            elif field.type not in SCALARS:
                raise SchemaError(f"Field {field.name} cannot have that default")
            else:
                target.default_value = default_text(field.type, field.default, field.name)
        self._options(target, field.options, scope)

    def _group(self, target: Any, nested: Any, group: Group, scope: str) -> None:
        target.name, target.number = group.message.name.lower(), group.number
        target.label, target.type = LABELS[group.label or "optional"], TYPES["group"]
        target.type_name = f".{scope}.{group.message.name}" if scope else f".{group.message.name}"
        self._options(target, group.options, scope)
        self._message(nested.add(), group.message, scope)

    def _extend(self, target: Any, nested: Any, extend: Extend, scope: str) -> None:
        extendee = f".{self._resolve(extend.name, scope).full_name}"
        for field in extend.fields:
            self._field(target.add(extendee=extendee), field, scope)
        for group in extend.groups:
            self._group(target.add(extendee=extendee), nested, group, scope)

    def _enum(self, target: Any, enum: Enum, scope: str) -> None:
        target.name = enum.name
        for constant in enum.constants:
            self._constant(target.value.add(), constant, scope)
        for ranges in enum.reserved:
            for start, end in _bounds(ranges):
                target.reserved_range.add(start=start, end=end)
            target.reserved_name.extend(_names(ranges))
        self._options(target, enum.options, scope)

    def _constant(self, target: Any, constant: Constant, scope: str) -> None:
        target.name, target.number = constant.name, constant.number
        self._options(target, constant.options, scope)

    def _service(self, target: Any, service: Service, scope: str) -> None:
        target.name = service.name
        for rpc in service.rpcs:
            method = target.method.add(name=rpc.name)
            method.input_type = f".{self._resolve(rpc.request, scope).full_name}"
            method.output_type = f".{self._resolve(rpc.response, scope).full_name}"
            if rpc.request_streaming:
                method.client_streaming = True
            if rpc.response_streaming:
                method.server_streaming = True
            self._options(method, rpc.options, scope)
        self._options(target, service.options, scope)

    def _resolve(self, name: str, scope: str) -> TypeEntry:
        entry = self._file.resolve(name, scope)
        if entry is None:
            raise SchemaError(f"Could not resolve type: {name}")
        return entry


def _bounds(ranges: Ranges) -> list[tuple[int, int]]:
    numbers = (value for value in ranges.values if isinstance(value, int | Range))
    return [(value, value) if isinstance(value, int) else (value.start, value.end) for value in numbers]


def _names(ranges: Ranges) -> list[str]:
    names = (value for value in ranges.values if isinstance(value, str | Literal))
    return [name.text if isinstance(name, Literal) else name for name in names]
