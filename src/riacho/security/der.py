"""As much of DER as certificates and key stores need: tag, length, contents."""

from __future__ import annotations


class DerError(ValueError):
    """These bytes are not what they should be."""


def items(data: bytes, tag: int) -> list[bytes]:
    found = []
    position = 0
    while position < len(data):
        item, position = read(data, position, tag)
        found.append(item)
    return found


def read(data: bytes, position: int, tag: int) -> tuple[bytes, int]:
    """(contents, position after)."""
    if position >= len(data):
        raise DerError("nothing where an item was expected")
    if data[position] != tag:
        raise DerError(f"tag {data[position]} where {tag} was expected")
    start, size = _length(data, position + 1)
    if start + size > len(data):
        raise DerError("an item that ends too late")
    return data[start : start + size], start + size


def skip(data: bytes, position: int) -> int:
    if position >= len(data):
        raise DerError("nothing where an item was expected")
    return read(data, position, data[position])[1]


def _length(data: bytes, position: int) -> tuple[int, int]:
    """(position of the contents, their size)."""
    if position >= len(data):
        raise DerError("an item without a length")
    first = data[position]
    if first < 0x80:
        return position + 1, first
    count = first & 0x7F
    if not 1 <= count <= 4:
        raise DerError("a length that DER does not have")
    return position + 1 + count, int.from_bytes(data[position + 1 : position + 1 + count], "big")
