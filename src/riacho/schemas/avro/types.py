"""The types of a parsed Avro schema, one class a kind, each object one place in the text.

Two `"string"`s of a schema are two objects: the check of compatibility remembers pairs of types by their identity, and
tells where each of them stands. A named type is one object, to which all its uses point, so types may be recursive.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from riacho.schemas.avro.names import Name
from riacho.schemas.parsed import Json


class Kind(Enum):
    """The value is the name that a schema has for it."""

    RECORD = "record"
    ENUM = "enum"
    ARRAY = "array"
    MAP = "map"
    UNION = "union"
    FIXED = "fixed"
    STRING = "string"
    BYTES = "bytes"
    INT = "int"
    LONG = "long"
    FLOAT = "float"
    DOUBLE = "double"
    BOOLEAN = "boolean"
    NULL = "null"


PRIMITIVES = {
    kind.value: kind
    for kind in (Kind.STRING, Kind.BYTES, Kind.INT, Kind.LONG, Kind.FLOAT, Kind.DOUBLE, Kind.BOOLEAN, Kind.NULL)
}


class _Missing:
    """Says that a field has no default, since None is the default null."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = _Missing()


@dataclass(slots=True, eq=False, kw_only=True)
class AvroType:
    """`props` are all attributes that the kind has no use for, logical types among them, as they were written."""

    kind: Kind
    props: dict[str, Json] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """What a union's JSON form calls this branch by."""
        return self.kind.value


@dataclass(slots=True, eq=False, kw_only=True)
class NamedType(AvroType):
    """`aliases` are full names, a leading dot where the alias is outside of any namespace and the type is not."""

    name: Name
    doc: str | None = None
    aliases: list[Name] = field(default_factory=list)

    @property
    def label(self) -> str:
        return self.name.full

    def alias_names(self) -> list[str]:
        spaced = self.name.space is not None
        return [f".{alias.simple}" if spaced and alias.space is None else alias.full for alias in self.aliases]


@dataclass(slots=True, eq=False, kw_only=True)
class RecordField:
    name: str
    type: AvroType
    doc: str | None = None
    default: Json = MISSING
    order: str = "ascending"
    aliases: list[str] = field(default_factory=list)
    props: dict[str, Json] = field(default_factory=dict)

    @property
    def has_default(self) -> bool:
        return self.default is not MISSING


@dataclass(slots=True, eq=False, kw_only=True)
class Record(NamedType):
    fields: list[RecordField] = field(default_factory=list)
    is_error: bool = False
    by_name: dict[str, RecordField] = field(default_factory=dict)


@dataclass(slots=True, eq=False, kw_only=True)
class EnumType(NamedType):
    symbols: list[str]
    default: str | None = None


@dataclass(slots=True, eq=False, kw_only=True)
class Fixed(NamedType):
    size: int


@dataclass(slots=True, eq=False, kw_only=True)
class Array(AvroType):
    items: AvroType


@dataclass(slots=True, eq=False, kw_only=True)
class MapType(AvroType):
    values: AvroType


@dataclass(slots=True, eq=False, kw_only=True)
class Union(AvroType):
    branches: list[AvroType]
