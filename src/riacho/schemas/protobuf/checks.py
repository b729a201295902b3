"""What no file may say: names and numbers given twice or out of range, types that do not exist."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

from riacho.schemas.parsed import SchemaError
from riacho.schemas.protobuf.elements import (
    MAX_FIELD_NUMBER,
    SCALARS,
    Enum,
    Extend,
    Field,
    Literal,
    Message,
    Range,
    Ranges,
)
from riacho.schemas.protobuf.files import ProtoFile

# Numbers that protobuf keeps for itself.
_RESERVED = range(19_000, 20_000)


def check_file(file: ProtoFile) -> None:
    """SchemaError names the first thing that is wrong."""
    scope = file.element.package or ""
    for message in file.element.top_messages():
        _check_message(file, message, scope)
    for enum in file.element.enums:
        _check_enum(file, enum)
    _check_extends(file, file.element.extends, scope)
    for service in file.element.services:
        for rpc in service.rpcs:
            for name in (rpc.request, rpc.response):
                _check_type(file, name, scope, messages_only=True)


def _check_message(file: ProtoFile, message: Message, scope: str) -> None:
    scope = f"{scope}.{message.name}" if scope else message.name
    fields = [*message.fields, *(field for oneof in message.oneofs for field in oneof.fields)]
    numbered = [(field.name, field.number) for field in fields]
    numbered += [(group.message.name.lower(), group.number) for group in message.all_groups()]
    _check_unique(scope, [name for name, _ in numbered], "field")
    _check_unique(scope, [oneof.name for oneof in message.oneofs], "oneof")
    _check_unique(scope, [number for _, number in numbered], "field number")
    reserved = _Reserved(message.reserved)
    for name, number in numbered:
        if number > MAX_FIELD_NUMBER or number in _RESERVED:
            raise SchemaError(f"Field {name} of {scope} cannot have number {number}")
        if reserved.holds(name, number):
            raise SchemaError(f"Field {name} of {scope} uses a reserved name or number")
    for field in fields:
        _check_field(file, field, scope)
    for enum in message.enums:
        _check_enum(file, enum)
    _check_extends(file, message.extends, scope)
    for nested in message.nested():
        _check_message(file, nested, scope)


def _check_field(file: ProtoFile, field: Field, scope: str) -> None:
    if field.default is not None and file.element.syntax == "proto3":
        raise SchemaError(f"Field {field.name} of {scope} has a default, which proto3 does not know")
    if field.type not in SCALARS:
        _check_type(file, field.type, scope, messages_only=False)


def _check_extends(file: ProtoFile, extends: Iterable[Extend], scope: str) -> None:
    for extend in extends:
        _check_type(file, extend.name, scope, messages_only=True)
        for field in extend.fields:
            _check_field(file, field, scope)


def _check_enum(file: ProtoFile, enum: Enum) -> None:
    if not enum.constants:
        raise SchemaError(f"Enum {enum.name} has no constants")
    if file.element.syntax == "proto3" and enum.constants[0].number != 0:
        raise SchemaError(f"The first constant of enum {enum.name} has to be 0 in proto3")
    _check_unique(enum.name, [constant.name for constant in enum.constants], "constant")
    aliases = any(option.name == "allow_alias" and option.value == Literal("true") for option in enum.options)
    if not aliases:
        _check_unique(enum.name, [constant.number for constant in enum.constants], "number")


def _check_unique(scope: str, values: list[str] | list[int], what: str) -> None:
    seen: set[str | int] = set()
    for value in values:
        if value in seen:
            raise SchemaError(f"{scope} has {what} {value} twice")
        seen.add(value)


class _Reserved:
    """What a message keeps back. There may be many fields and many ranges, so each is looked up, not searched for."""

    def __init__(self, reserved: tuple[Ranges, ...]) -> None:
        values = [value for ranges in reserved for value in ranges.values]
        self._names = {value.text if isinstance(value, Literal) else value for value in values}
        spans = sorted((value.start, value.end) for value in values if isinstance(value, Range))
        self._starts = [start for start, _ in spans]
        self._ends = list(accumulate((end for _, end in spans), max))

    def holds(self, name: str, number: int) -> bool:
        before = bisect_right(self._starts, number)
        return name in self._names or number in self._names or (before > 0 and number <= self._ends[before - 1])


def _check_type(file: ProtoFile, name: str, scope: str, *, messages_only: bool) -> None:
    entry = file.resolve(name, scope)
    if entry is None:
        raise SchemaError(f"Could not resolve type: {name}")
    if messages_only and not isinstance(entry.element, Message):
        raise SchemaError(f"{name} is not a message")
