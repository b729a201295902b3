"""What a message is: fields with their types and the versions that carry them.

The modules under `messages/` are written from `tools/schema/` and hold nothing but these values; the codec compiles
its functions from them, so no schema file is read at run time.

Messages are trees: no struct ever holds a reference back to its parent, which is why the garbage collector is told not
to track them (`gc=False`).
"""

from __future__ import annotations

from typing import Any, ClassVar, Final, NamedTuple, Protocol, TypeAlias

import msgspec

Buffer: TypeAlias = bytes | bytearray | memoryview
Range: TypeAlias = tuple[int, int]

LAST: Final = 0x7FFF
"""The open end of a range of versions."""

NATURAL: Final[Any] = object()
"""The default that a type starts from: 0, "", no bytes, no elements, false, the zero uuid, a fresh struct."""


class Splice(Protocol):
    """Record bytes that are not in memory: the encoder writes their size and leaves the bytes to the sender."""

    @property
    def size(self) -> int: ...


Records: TypeAlias = Buffer | Splice


class Field(NamedTuple):
    name: str
    type: str | type[WireStruct]
    versions: Range = (0, LAST)
    array: bool = False
    nullable: Range | None = None
    tag: int | None = None
    default: Any = NATURAL
    ignorable: bool = False
    # False: written the old way even where the message is flexible (client_id of the request header, KIP-482).
    flexible: bool = True

    def is_in(self, version: int) -> bool:
        return self.versions[0] <= version <= self.versions[1]

    def is_nullable_in(self, version: int) -> bool:
        return self.nullable is not None and self.nullable[0] <= version <= self.nullable[1]


class WireStruct(msgspec.Struct, gc=False, repr_omit_defaults=True):
    """A group of fields; not a message of its own unless it is a `Message`."""

    FIELDS: ClassVar[tuple[Field, ...]] = ()


class Message(WireStruct):
    """A request, a response, a record, or one of Kafka's stored values."""

    NAME: ClassVar[str] = ""
    # The API's key; for a metadata or coordinator record, the number that tells its type.
    API_KEY: ClassVar[int | None] = None
    VERSIONS: ClassVar[Range] = (0, 0)
    # The first version with compact lengths and tagged fields (KIP-482).
    FLEXIBLE: ClassVar[int | None] = None
