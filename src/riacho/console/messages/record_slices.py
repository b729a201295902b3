"""Keys or values of a batch's records, and nothing else of them: what a search looks at before it decodes anything.

A search by key passes a million records a second so, and most of its time is here: one loop, varints of one and two
bytes inlined.
"""

from __future__ import annotations

from riacho.console.messages.filters import Needles
from riacho.wire.records import Record
from riacho.wire.varint import unsigned_32

# Printable ASCII, and no escape of JSON: where a text is one of these, what is shown is what stands in the bytes.
_PLAIN = bytes(each for each in range(0x20, 0x7F) if each != 0x5C) + b"\t\r\n"
# A record may name its schema in a header: then its bytes are not what they look like.
_SCHEMA_HEADER = b"_schema_id"


def may_match(section: bytes, count: int, needles: Needles) -> bool:
    """Whether one of the records may match, by their bytes. Broken records may, too: who decodes them tells."""
    if _SCHEMA_HEADER in section:
        return True
    try:
        return (not needles.key or _has_all(keys_of(section, count), needles.key)) and (
            not needles.value or _has_all(values_of(section, count), needles.value)
        )
    except (IndexError, ValueError):
        return True


def may_be(record: Record, needles: Needles) -> bool:
    """Whether this one may match."""
    if record.headers:
        return True
    return (not needles.key or _has(record.key, needles.key)) and (
        not needles.value or _has(record.value, needles.value)
    )


def _has(part: bytes | None, needles: tuple[bytes, ...]) -> bool:
    return part is not None and (all(needle in part for needle in needles) or bool(part.translate(None, _PLAIN)))


def _has_all(parts: list[bytes], needles: tuple[bytes, ...]) -> bool:
    joined = b"\n".join(parts)
    if all(needle in joined for needle in needles):
        return True
    if not joined.translate(None, _PLAIN):
        return False
    return any(_has(part, needles) for part in parts)


def keys_of(data: bytes, count: int) -> list[bytes]:
    """Without those that are null. IndexError, ValueError where the records are broken."""
    found: list[bytes] = []
    append = found.append
    position = 0
    for _ in range(count):
        n = data[position]
        position += 1
        if n > 0x7F:
            more = data[position]
            if more < 0x80:
                position += 1
                n += (more << 7) - 0x80
            else:
                n, position = unsigned_32(data, position - 1)
        end = position + (n >> 1)
        # Attributes, and the two deltas.
        position += 1
        while data[position] > 0x7F:
            position += 1
        position += 1
        while data[position] > 0x7F:
            position += 1
        position += 1
        n = data[position]
        position += 1
        if n > 0x7F:
            n, position = unsigned_32(data, position - 1)
        if not n & 1:
            append(data[position : position + (n >> 1)])
        position = end
    return found


def values_of(data: bytes, count: int) -> list[bytes]:
    """As `keys_of`."""
    found: list[bytes] = []
    append = found.append
    position = 0
    for _ in range(count):
        n = data[position]
        position += 1
        if n > 0x7F:
            n, position = unsigned_32(data, position - 1)
        end = position + (n >> 1)
        position += 1
        while data[position] > 0x7F:
            position += 1
        position += 1
        while data[position] > 0x7F:
            position += 1
        position += 1
        n = data[position]
        position += 1
        if n > 0x7F:
            n, position = unsigned_32(data, position - 1)
        if not n & 1:
            position += n >> 1
        n = data[position]
        position += 1
        if n > 0x7F:
            n, position = unsigned_32(data, position - 1)
        if not n & 1:
            append(data[position : position + (n >> 1)])
        position = end
    return found
