"""What two fields that are compared hold, and where the messages stand that have them."""

from __future__ import annotations

from dataclasses import dataclass

from riacho.schemas.protobuf.elements import SCALARS, Field, Message
from riacho.schemas.protobuf.files import ProtoFile, TypeEntry

# Scalars of one group can be read as one another.
_GROUPS = {
    **dict.fromkeys(("int32", "int64", "uint32", "uint64", "bool"), "number"),
    **dict.fromkeys(("sint32", "sint64"), "zig-zag number"),
    **dict.fromkeys(("fixed32", "sfixed32"), "four bytes"),
    **dict.fromkeys(("fixed64", "sfixed64"), "eight bytes"),
    **dict.fromkeys(("string", "bytes"), "text"),
    "float": "float",
    "double": "double",
}


@dataclass(frozen=True, slots=True)
class Scope:
    """A message in each of two files. `path` is its name without the package, the same in both."""

    original: ProtoFile
    update: ProtoFile
    path: tuple[str, ...]

    def inside(self, name: str) -> Scope:
        return Scope(self.original, self.update, (*self.path, name))

    @property
    def original_name(self) -> str:
        return ".".join(filter(None, (self.original.element.package, *self.path)))

    @property
    def update_name(self) -> str:
        return ".".join(filter(None, (self.update.element.package, *self.path)))

    @property
    def is_alone(self) -> bool:
        """Nothing in the files can mean anything that another file says."""
        return not self.original.imports and not self.update.imports


@dataclass(frozen=True, slots=True)
class FieldType:
    """`entry` is the declared type, None of scalars and of names that mean nothing."""

    name: str
    entry: TypeEntry | None = None
    key_name: str | None = None

    @classmethod
    def of(cls, field: Field, file: ProtoFile, scope: str) -> FieldType:
        if field.type in SCALARS:
            return cls(field.type, None, field.key_type)
        entry = file.resolve(field.type, scope)
        if entry is not None and isinstance(entry.element, Message) and entry.element.is_map_entry:
            parts = {part.name: part for part in entry.element.fields}
            # The value of a map is no map, which ends the recursion for a descriptor that says otherwise.
            value_type = parts["value"].type
            value = None if value_type in SCALARS else entry.file.resolve(value_type, entry.full_name)
            return cls(value_type, value, parts["key"].type)
        return cls(field.type, entry, field.key_type)

    @property
    def kind(self) -> str:
        if self.key_name is not None:
            return "map"
        is_message = self.entry is None or isinstance(self.entry.element, Message)
        return "message" if self.name not in SCALARS and is_message else "scalar"

    @property
    def group(self) -> str:
        """An enum is a number on the wire."""
        return _GROUPS.get(self.name, "number")

    @property
    def key(self) -> FieldType:
        return FieldType(self.key_name or "")

    def map_value(self) -> FieldType:
        return FieldType(self.name, self.entry)


class MessageFields:
    """A message's fields by number, those of its oneofs among them."""

    def __init__(self, message: Message) -> None:
        self.by_number: dict[int, Field] = {field.number: field for field in message.fields}
        self.members: dict[str, list[int]] = {}
        self.oneof_of: dict[int, str] = {}
        for oneof in message.oneofs:
            self.members[oneof.name] = [field.number for field in oneof.fields]
            for field in oneof.fields:
                self.by_number[field.number] = field
                self.oneof_of[field.number] = oneof.name

    def oneof_path(self, number: int) -> tuple[str, ...]:
        """The oneof's name, where the field is in one."""
        return (self.oneof_of[number],) if number in self.oneof_of else ()
