"""The smallest parts of the format: unsigned varints, and the error for every malformed byte."""

from __future__ import annotations

from typing import Final, NoReturn

from riacho.wire.schema import Buffer

VARINT_SIZE_BYTES_MAX: Final = 5
# Kafka refuses longer strings in both encodings, whatever the length prefix could express.
STRING_SIZE_BYTES_MAX: Final = 0x7FFF
# A section of tagged fields that we do not know is passed over one by one; newer peers send a handful.
UNKNOWN_TAGS_MAX: Final = 127


class WireError(ValueError):
    """Bytes that are no message, or a message that its version cannot carry."""


def read_unsigned_varint(buffer: Buffer, position: int) -> tuple[int, int]:
    """(value, position after it). IndexError at the end of the buffer is the caller's to translate.

    Not by `wire/varint.py`, which is compiled for bytes alone: requests are read from any buffer."""
    value = shift = 0
    for index in range(position, position + VARINT_SIZE_BYTES_MAX):
        byte = buffer[index]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, index + 1
        shift += 7
    raise WireError(f"a varint at byte {position} is longer than {VARINT_SIZE_BYTES_MAX} bytes")


def write_unsigned_varint(out: bytearray, value: int) -> None:
    if not 0 <= value <= 0xFFFFFFFF:
        raise WireError(f"{value} does not fit an unsigned varint of 32 bits")
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


def read_string_length(buffer: Buffer, position: int) -> tuple[int, int]:
    """A compact string's length prefix (one more than the length), of more than one byte."""
    prefix, position = read_unsigned_varint(buffer, position)
    if prefix > STRING_SIZE_BYTES_MAX + 1:
        raise WireError(f"a string of {prefix - 1} bytes is too long")
    return prefix, position


def write_string_length(out: bytearray, prefix: int) -> None:
    if prefix > STRING_SIZE_BYTES_MAX + 1:
        raise WireError(f"a string of {prefix - 1} bytes is too long")
    write_unsigned_varint(out, prefix)


def skip_tagged_fields(buffer: Buffer, position: int, end: int) -> int:
    """Pass over a section of tagged fields, none of them known (KIP-482); gives the position after it."""
    count, position = read_unsigned_varint(buffer, position)
    if count > UNKNOWN_TAGS_MAX:
        raise_many()
    for _ in range(count):
        _, position = read_unsigned_varint(buffer, position)
        size, position = read_unsigned_varint(buffer, position)
        position += size
        if position > end:
            raise_short()
    return position


def raise_short() -> NoReturn:
    raise WireError("the message ends before its fields do")


def raise_many() -> NoReturn:
    raise WireError("more elements than a request may have")


def raise_null(field: str) -> NoReturn:
    raise WireError(f"{field} is null, which this version does not allow")


def raise_tag_size(field: str) -> NoReturn:
    raise WireError(f"tagged field {field} has another size than it says")


def raise_lacking(field: str) -> NoReturn:
    raise WireError(f"{field} is set, but this version does not have it")


def raise_uuid_size() -> NoReturn:
    raise WireError("a uuid is not 16 bytes")
