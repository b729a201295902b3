"""The form in which files of the same meaning read the same: sorted by number or name, every type under its full name.

Messages keep their order, since the message indexes of a payload count them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from riacho.schemas.protobuf.elements import (
    SCALARS,
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
    Service,
    plain_option,
)
from riacho.schemas.protobuf.files import ProtoFile
from riacho.schemas.protobuf.option_normalizing import OptionNormalizer

_LAST = 2_147_483_647


def normalize(file: ProtoFile) -> File:
    return _Normalizer(file).file()


class _Normalizer:
    def __init__(self, file: ProtoFile) -> None:
        self._file = file
        self._options = OptionNormalizer(file)

    def file(self) -> File:
        element = self._file.element
        scope = element.package or ""
        return File(
            syntax="proto3" if element.syntax == "proto3" else None,
            edition=element.edition,
            package=element.package,
            imports=tuple(sorted(set(element.imports))),
            public_imports=tuple(sorted(set(element.public_imports))),
            weak_imports=tuple(sorted(set(element.weak_imports))),
            options=self._options.normalize(element.options, scope),
            messages=self._messages(element.messages, scope),
            enums=tuple(self._enum(enum, scope) for enum in element.enums),
            extends=self._extends(element.extends, scope),
            services=tuple(self._service(service, scope) for service in element.services),
        )

    def _name(self, name: str, scope: str) -> str:
        entry = self._file.resolve(name, scope)
        return name if entry is None else f".{entry.full_name}"

    def _messages(self, messages: Iterable[Message], scope: str) -> tuple[Message, ...]:
        return tuple(self._message(message, scope) for message in messages if not message.is_map_entry)

    def _message(self, message: Message, scope: str) -> Message:
        scope = f"{scope}.{message.name}" if scope else message.name
        return Message(
            name=message.name,
            fields=self._fields(message.fields, scope),
            oneofs=self._oneofs(message.oneofs, scope),
            groups=self._groups(message.groups, scope),
            messages=self._messages(message.messages, scope),
            enums=tuple(self._enum(enum, scope) for enum in message.enums),
            extends=self._extends(message.extends, scope),
            extensions=self._ranges(message.extensions, scope),
            reserved=self._ranges(message.reserved, scope),
            options=self._options.normalize(message.options, scope),
        )

    def _fields(self, fields: Iterable[Field], scope: str) -> tuple[Field, ...]:
        return tuple(self._field(field, scope) for field in sorted(fields, key=lambda field: field.number))

    def _field(self, field: Field, scope: str) -> Field:
        options = list(field.options)
        if field.default is not None:
            options.append(plain_option("default", field.default))
        if field.json_name is not None:
            options.append(plain_option("json_name", field.json_name))
        field = replace(self._as_map(field, scope), default=None, json_name=None)
        type_name = field.type if field.type in SCALARS else self._name(field.type, scope)
        return replace(field, type=type_name, options=self._options.normalize(tuple(options), scope))

    def _as_map(self, field: Field, scope: str) -> Field:
        """A descriptor's repeated `map_entry` message is the map that it stands for."""
        entry = None if field.type in SCALARS or field.key_type else self._file.resolve(field.type, scope)
        if entry is None or not isinstance(entry.element, Message) or not entry.element.is_map_entry:
            return field
        parts = {part.name: part.type for part in entry.element.fields}
        value = parts["value"] if parts["value"] in SCALARS else self._name(parts["value"], entry.full_name)
        return replace(field, label=None, key_type=parts["key"], type=value)

    def _oneofs(self, oneofs: Iterable[OneOf], scope: str) -> tuple[OneOf, ...]:
        kept = [
            OneOf(
                oneof.name,
                self._fields(oneof.fields, scope),
                self._groups(oneof.groups, scope),
                self._options.normalize(oneof.options, scope),
            )
            for oneof in oneofs
            if oneof.fields or oneof.groups
        ]
        return tuple(sorted(kept, key=lambda oneof: (oneof.fields or oneof.groups)[0].number))

    def _groups(self, groups: Iterable[Group], scope: str) -> tuple[Group, ...]:
        return tuple(
            Group(
                self._message(group.message, scope),
                group.number,
                group.label,
                self._options.normalize(group.options, scope),
            )
            for group in sorted(groups, key=lambda group: group.number)
        )

    def _extends(self, extends: Iterable[Extend], scope: str) -> tuple[Extend, ...]:
        fields: dict[str, list[Field]] = {}
        groups: dict[str, list[Group]] = {}
        for extend in extends:
            name = self._name(extend.name, scope)
            fields.setdefault(name, []).extend(extend.fields)
            groups.setdefault(name, []).extend(extend.groups)
        return tuple(
            Extend(name, self._fields(fields[name], scope), self._groups(groups[name], scope)) for name in fields
        )

    def _enum(self, enum: Enum, scope: str) -> Enum:
        # Negative constants come first, except where the first one has to be zero.
        opens = self._file.element.syntax == "proto3" or self._file.element.edition is not None
        constants = sorted(enum.constants, key=lambda each: (opens and each.number != 0, each.number, each.name))
        return Enum(
            enum.name,
            tuple(replace(each, options=self._options.normalize(each.options, scope)) for each in constants),
            self._ranges(enum.reserved, scope),
            self._options.normalize(enum.options, scope),
        )

    def _service(self, service: Service, scope: str) -> Service:
        rpcs = tuple(
            replace(
                rpc,
                request=self._name(rpc.request, scope),
                response=self._name(rpc.response, scope),
                options=self._options.normalize(rpc.options, scope),
            )
            for rpc in service.rpcs
        )
        return Service(service.name, rpcs, self._options.normalize(service.options, scope))

    def _ranges(self, statements: Iterable[Ranges], scope: str) -> tuple[Ranges, ...]:
        """Each number, range and name as a statement of its own: numbers first, then names."""
        single = [
            Ranges((_single(value),), self._options.normalize(statement.options, scope))
            for statement in statements
            for value in statement.values
        ]
        return tuple(sorted(single, key=lambda ranges: _order(ranges.values[0])))


def _single(value: int | Range | str | Literal) -> int | Range | str | Literal:
    return value.start if isinstance(value, Range) and value.start == value.end else value


def _order(value: int | Range | str | Literal) -> tuple[int, str]:
    if isinstance(value, Range):
        return value.start, f"{value.start}..{value.end}"
    if isinstance(value, int):
        return value, str(value)
    return _LAST, value.text if isinstance(value, Literal) else value
