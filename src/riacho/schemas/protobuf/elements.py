"""What a .proto file says, as plain values: one class a declaration, in the order in which each kind was declared.

Type names stay as written; `files.py` says what they mean. Comments are not kept: the registry's text has none.
"""

from __future__ import annotations

from dataclasses import dataclass, field

MAX_FIELD_NUMBER = 536_870_911
MAX_ENUM_NUMBER = 2_147_483_647

SCALARS = frozenset(
    {
        "double",
        "float",
        "int32",
        "int64",
        "uint32",
        "uint64",
        "sint32",
        "sint64",
        "fixed32",
        "fixed64",
        "sfixed32",
        "sfixed64",
        "bool",
        "string",
        "bytes",
    }
)


@dataclass(frozen=True, slots=True)
class Literal:
    """A value written without quotes: a number, true, false, an enum's constant."""

    text: str


# A quoted string, a literal, a list, or an aggregate ({name: value}; extensions are named "[full.name]").
Value = str | Literal | list["Value"] | dict[str, "Value"]


@dataclass(frozen=True, slots=True)
class NamePart:
    """One step of an option's name; an extension is the step that was written in parentheses."""

    text: str
    is_extension: bool = False

    def __str__(self) -> str:
        return f"({self.text})" if self.is_extension else self.text


@dataclass(frozen=True, slots=True)
class Option:
    parts: tuple[NamePart, ...]
    value: Value

    @property
    def is_extension(self) -> bool:
        return self.parts[0].is_extension

    @property
    def name(self) -> str:
        """The extension's name; of a plain option, all of it (`features.field_presence`)."""
        return self.parts[0].text if self.is_extension else self.full_name

    @property
    def full_name(self) -> str:
        return ".".join(str(part) for part in self.parts)


def plain_option(name: str, value: Value) -> Option:
    return Option((NamePart(name),), value)


@dataclass(frozen=True, slots=True)
class Range:
    """Both ends belong to it."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Ranges:
    """One `reserved` or `extensions` statement. Names are strings; an edition writes them without quotes (Literal)."""

    values: tuple[int | Range | str | Literal, ...]
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class Field:
    """`type` is the value's type where the field is a map, and `key_type` then says what its keys are."""

    name: str
    type: str
    number: int
    label: str | None = None
    key_type: str | None = None
    default: Value | None = None
    json_name: str | None = None
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """A field and its message in one; the field's name is the message's in lower case."""

    message: Message
    number: int
    label: str | None = None
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class OneOf:
    name: str
    fields: tuple[Field, ...] = ()
    groups: tuple[Group, ...] = ()
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class Constant:
    name: str
    number: int
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class Enum:
    name: str
    constants: tuple[Constant, ...] = ()
    reserved: tuple[Ranges, ...] = ()
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class Extend:
    """Fields added to the message called `name`."""

    name: str
    fields: tuple[Field, ...] = ()
    groups: tuple[Group, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Message:
    """Compared by identity: comparing two schemas has to know one and the same message when it meets it again."""

    name: str
    fields: tuple[Field, ...] = ()
    oneofs: tuple[OneOf, ...] = ()
    groups: tuple[Group, ...] = ()
    messages: tuple[Message, ...] = ()
    enums: tuple[Enum, ...] = ()
    extends: tuple[Extend, ...] = ()
    extensions: tuple[Ranges, ...] = ()
    reserved: tuple[Ranges, ...] = ()
    options: tuple[Option, ...] = ()

    @property
    def is_map_entry(self) -> bool:
        """True of the message that a descriptor has in place of `map<key, value>`."""
        marked = any(option.name == "map_entry" and option.value == Literal("true") for option in self.options)
        return marked and {field.name for field in self.fields} == {"key", "value"}

    def all_groups(self) -> list[Group]:
        return [*self.groups, *(group for oneof in self.oneofs for group in oneof.groups)]

    def nested(self) -> list[Message]:
        """The messages declared in it, those of its groups last."""
        extended = [group.message for extend in self.extends for group in extend.groups]
        return [*self.messages, *(group.message for group in self.all_groups()), *extended]


@dataclass(frozen=True, slots=True)
class Rpc:
    name: str
    request: str
    response: str
    request_streaming: bool = False
    response_streaming: bool = False
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class Service:
    name: str
    rpcs: tuple[Rpc, ...] = ()
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class File:
    """`syntax` is proto2, proto3 or None where the file names none; an edition's file has `edition` instead."""

    syntax: str | None = None
    edition: str | None = None
    package: str | None = None
    imports: tuple[str, ...] = ()
    public_imports: tuple[str, ...] = ()
    weak_imports: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    messages: tuple[Message, ...] = ()
    enums: tuple[Enum, ...] = ()
    extends: tuple[Extend, ...] = ()
    services: tuple[Service, ...] = ()

    def all_imports(self) -> list[str]:
        return [*self.imports, *self.public_imports, *self.weak_imports]

    def top_messages(self) -> list[Message]:
        return [*self.messages, *(group.message for extend in self.extends for group in extend.groups)]


@dataclass(slots=True)
class MessageParts:
    """What a message's body is collected in while it is read."""

    fields: list[Field] = field(default_factory=list)
    oneofs: list[OneOf] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    enums: list[Enum] = field(default_factory=list)
    extends: list[Extend] = field(default_factory=list)
    extensions: list[Ranges] = field(default_factory=list)
    reserved: list[Ranges] = field(default_factory=list)
    options: list[Option] = field(default_factory=list)

    def message(self, name: str) -> Message:
        return Message(
            name,
            tuple(self.fields),
            tuple(self.oneofs),
            tuple(self.groups),
            tuple(self.messages),
            tuple(self.enums),
            tuple(self.extends),
            tuple(self.extensions),
            tuple(self.reserved),
            tuple(self.options),
        )
