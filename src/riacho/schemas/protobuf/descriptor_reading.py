"""From a FileDescriptorProto to elements.

confluent-kafka's Python serializer registers its schemas in this form, and the registry answers them as text. As a
descriptor knows no `map<key, value>`, a map stays what it is there: a repeated message marked `map_entry`.
"""

from __future__ import annotations

from collections.abc import Iterable

from google.protobuf import descriptor_pb2  # type: ignore[import-untyped]
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

from riacho.schemas.parsed import SchemaError
from riacho.schemas.protobuf.descriptor_options import OptionReader
from riacho.schemas.protobuf.elements import (
    MAX_FIELD_NUMBER,
    Constant,
    Enum,
    Extend,
    Field,
    File,
    Group,
    Literal,
    Message,
    OneOf,
    Range,
    Ranges,
    Rpc,
    Service,
    Value,
)
from riacho.schemas.protobuf.scalars import LABEL_NAMES, TYPE_NAMES, TYPES, unescape_bytes


def read_descriptor(descriptor: descriptor_pb2.FileDescriptorProto, options: OptionReader) -> File:
    """SchemaError where the descriptor contradicts itself or holds names that are no text."""
    try:
        return _DescriptorReader(descriptor, options).file()
    except (TypeError, AttributeError, UnicodeError, DecodeError):
        # The runtime gives bytes in place of a string that is no UTF-8, and opens options when they are asked for.
        raise SchemaError("The descriptor holds a name that is no text, or an option that is no message") from None


class _DescriptorReader:
    def __init__(self, descriptor: descriptor_pb2.FileDescriptorProto, options: OptionReader) -> None:
        self._file = descriptor
        self._options = options
        self._is_proto2 = descriptor.syntax in ("", "proto2")

    def file(self) -> File:
        file = self._file
        public, weak = set(file.public_dependency), set(file.weak_dependency)
        imports = list(enumerate(file.dependency))
        is_edition = file.syntax == "editions"
        groups = self._group_names(file.extension)
        return File(
            syntax=None if is_edition else file.syntax or None,
            edition=_edition(file.edition) if is_edition else None,
            package=file.package or None,
            imports=tuple(path for index, path in imports if index not in public | weak),
            public_imports=tuple(path for index, path in imports if index in public),
            weak_imports=tuple(path for index, path in imports if index in weak - public),
            options=self._options.read(file.options),
            messages=tuple(self._message(message) for message in file.message_type if message.name not in groups),
            enums=tuple(self._enum(enum) for enum in file.enum_type),
            extends=self._extends(file.extension, {message.name: message for message in file.message_type}),
            services=tuple(self._service(service) for service in file.service),
        )

    def _message(self, message: descriptor_pb2.DescriptorProto) -> Message:
        nested = {child.name: child for child in message.nested_type}
        fields = [field for field in message.field if not field.HasField("oneof_index") or field.proto3_optional]
        members = [field for field in message.field if field.HasField("oneof_index") and not field.proto3_optional]
        oneofs = []
        for index, oneof in enumerate(message.oneof_decl):
            parts = [field for field in members if field.oneof_index == index]
            if parts:
                options = self._options.read(oneof.options)
                oneofs.append(OneOf(oneof.name, self._fields(parts, inside=True), self._groups(parts, nested), options))
        groups = self._group_names([*message.field, *message.extension])
        return Message(
            name=message.name,
            fields=self._fields(fields, inside=False),
            oneofs=tuple(oneofs),
            groups=self._groups(fields, nested),
            messages=tuple(self._message(child) for child in message.nested_type if child.name not in groups),
            enums=tuple(self._enum(enum) for enum in message.enum_type),
            extends=self._extends(message.extension, nested),
            extensions=tuple(
                Ranges((_range(r.start, min(r.end - 1, MAX_FIELD_NUMBER)),), self._options.read(r.options))
                for r in message.extension_range
            ),
            reserved=(
                *(Ranges((_range(r.start, r.end - 1),)) for r in message.reserved_range),
                *(Ranges((self._reserved_name(name),)) for name in message.reserved_name),
            ),
            options=self._options.read(message.options),
        )

    def _reserved_name(self, name: str) -> str | Literal:
        return Literal(name) if self._file.syntax == "editions" else name

    def _group_names(self, fields: Iterable[descriptor_pb2.FieldDescriptorProto]) -> set[str]:
        """Messages that are spelt out where their field is declared."""
        return {self._group_name(field) for field in fields if field.type == TYPES["group"]}

    @staticmethod
    def _group_name(field: descriptor_pb2.FieldDescriptorProto) -> str:
        name: str = field.type_name.rpartition(".")[2]
        return name

    def _fields(self, fields: list[descriptor_pb2.FieldDescriptorProto], *, inside: bool) -> tuple[Field, ...]:
        return tuple(self._field(field, inside=inside) for field in fields if field.type != TYPES["group"])

    def _groups(
        self, fields: list[descriptor_pb2.FieldDescriptorProto], nested: dict[str, descriptor_pb2.DescriptorProto]
    ) -> tuple[Group, ...]:
        groups = []
        for field in fields:
            if field.type == TYPES["group"]:
                body = nested.get(self._group_name(field))
                if body is None:
                    raise SchemaError(f"The descriptor has no message for group {field.name}")
                label = None if field.HasField("oneof_index") else LABEL_NAMES[field.label]
                groups.append(Group(self._message(body), field.number, label, self._options.read(field.options)))
        return tuple(groups)

    def _field(self, field: descriptor_pb2.FieldDescriptorProto, *, inside: bool) -> Field:
        return Field(
            name=field.name,
            type=field.type_name or TYPE_NAMES.get(field.type, ""),
            number=field.number,
            label=None if inside else self._label(field),
            default=self._default(field),
            json_name=field.json_name if field.HasField("json_name") else None,
            options=self._options.read(field.options),
        )

    def _label(self, field: descriptor_pb2.FieldDescriptorProto) -> str | None:
        if field.proto3_optional:
            return "optional"
        label = LABEL_NAMES[field.label]
        return label if self._is_proto2 or label == "repeated" else None

    def _default(self, field: descriptor_pb2.FieldDescriptorProto) -> Value | None:
        if not field.HasField("default_value") or self._file.syntax == "proto3":
            return None
        text: str = field.default_value
        if field.type == TYPES["bytes"]:
            return unescape_bytes(text).decode("utf-8", "surrogateescape")
        return text if field.type == TYPES["string"] else Literal(text)

    def _extends(
        self, fields: list[descriptor_pb2.FieldDescriptorProto], nested: dict[str, descriptor_pb2.DescriptorProto]
    ) -> tuple[Extend, ...]:
        by_name: dict[str, list[descriptor_pb2.FieldDescriptorProto]] = {}
        for field in fields:
            by_name.setdefault(field.extendee, []).append(field)
        return tuple(
            Extend(name, self._fields(members, inside=False), self._groups(members, nested))
            for name, members in by_name.items()
        )

    def _enum(self, enum: descriptor_pb2.EnumDescriptorProto) -> Enum:
        return Enum(
            name=enum.name,
            constants=tuple(Constant(v.name, v.number, self._options.read(v.options)) for v in enum.value),
            reserved=(
                *(Ranges((_range(r.start, r.end),)) for r in enum.reserved_range),
                *(Ranges((self._reserved_name(name),)) for name in enum.reserved_name),
            ),
            options=self._options.read(enum.options),
        )

    def _service(self, service: descriptor_pb2.ServiceDescriptorProto) -> Service:
        rpcs = tuple(
            Rpc(
                method.name,
                method.input_type,
                method.output_type,
                method.client_streaming,
                method.server_streaming,
                self._options.read(method.options),
            )
            for method in service.method
        )
        return Service(service.name, rpcs, self._options.read(service.options))


def _range(start: int, end: int) -> int | Range:
    return start if start == end else Range(start, end)


def _edition(number: int) -> str:
    name: str = descriptor_pb2.Edition.Name(number) if number in descriptor_pb2.Edition.values() else str(number)
    return name.removeprefix("EDITION_")
