"""A file without extensions: neither those it declares nor options that are extensions, the registry's own apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from riacho.schemas.protobuf.elements import Enum, Field, File, Group, Message, OneOf, Option, Service

# Tags and rules, by which clients know what to encrypt.
_KEPT = "confluent."


def without_extensions(file: File) -> File:
    return replace(
        file,
        options=_options(file.options),
        messages=tuple(map(_message, file.messages)),
        enums=tuple(map(_enum, file.enums)),
        extends=(),
        services=tuple(map(_service, file.services)),
    )


def _options(options: Iterable[Option]) -> tuple[Option, ...]:
    return tuple(option for option in options if not option.is_extension or option.name.startswith(_KEPT))


def _message(message: Message) -> Message:
    return replace(
        message,
        fields=tuple(map(_field, message.fields)),
        oneofs=tuple(map(_oneof, message.oneofs)),
        groups=tuple(map(_group, message.groups)),
        messages=tuple(map(_message, message.messages)),
        enums=tuple(map(_enum, message.enums)),
        extends=(),
        extensions=(),
        options=_options(message.options),
    )


def _field(field: Field) -> Field:
    return replace(field, options=_options(field.options))


def _group(group: Group) -> Group:
    return replace(group, message=_message(group.message), options=_options(group.options))


def _oneof(oneof: OneOf) -> OneOf:
    fields, groups = tuple(map(_field, oneof.fields)), tuple(map(_group, oneof.groups))
    return replace(oneof, fields=fields, groups=groups, options=_options(oneof.options))


def _enum(enum: Enum) -> Enum:
    constants = tuple(replace(constant, options=_options(constant.options)) for constant in enum.constants)
    return replace(enum, constants=constants, options=_options(enum.options))


def _service(service: Service) -> Service:
    rpcs = tuple(replace(rpc, options=_options(rpc.options)) for rpc in service.rpcs)
    return replace(service, rpcs=rpcs, options=_options(service.options))
