"""Identifiers: uuids as raw 16-byte values, their text form, and Java's string hash.

Kafka prints uuids as 22 characters of unpadded base64url, and picks a coordinator's partition by Java's
`String.hashCode`.
"""

from __future__ import annotations

import base64
import binascii

from riacho.base.ports import Rng

ZERO_UUID = bytes(16)
# Kafka gives this one to the metadata topic and never hands it out.
METADATA_TOPIC_ID = bytes(15) + b"\x01"


def random_uuid(rng: Rng) -> bytes:
    """Never one whose text starts with a dash, which command lines would take for an option."""
    while True:
        uuid = rng.token(16)
        # The first six bits make the first character; 62 is '-'.
        if uuid[0] >> 2 != 62:
            return uuid


def uuid_text(uuid: bytes) -> str:
    return base64.urlsafe_b64encode(uuid).rstrip(b"=").decode()


def uuid_from_text(text: str) -> bytes:
    try:
        raw = base64.b64decode(text + "==", altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(f"not a uuid: {text!r}") from error
    if len(raw) != 16:
        raise ValueError(f"not a uuid: {text!r}")
    return raw


def java_string_hash(text: str) -> int:
    """`String.hashCode` over UTF-16 code units, as a signed 32-bit integer."""
    value = 0
    units = text.encode("utf-16-be")
    for i in range(0, len(units), 2):
        value = (31 * value + (units[i] << 8 | units[i + 1])) & 0xFFFFFFFF
    return value - (1 << 32) if value & 0x80000000 else value


def partition_for(key: str, partition_count: int) -> int:
    """Which coordinator partition owns a group or transactional id."""
    hashed = java_string_hash(key)
    # Java's abs of the smallest int is itself; Kafka maps that one to 0.
    return (0 if hashed == -(1 << 31) else abs(hashed)) % partition_count
