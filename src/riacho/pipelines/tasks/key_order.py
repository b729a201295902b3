"""The order of keys as state stores of Kafka Streams have it: by their bytes in ksqlDB's default format.

One number is big-endian two's complement there, so the negative ones come after all others; one string is its UTF-8.
Keys of several columns are compared as the texts they are.
"""

from __future__ import annotations

import struct
from typing import Any

import msgspec


def order_of_key(key: str) -> bytes:
    fields: Any = msgspec.json.decode(key)
    if not isinstance(fields, dict) or len(fields) != 1:
        return key.encode()
    (value,) = fields.values()
    match value:
        case bool():
            return bytes([value])
        case int():
            return value.to_bytes(16, "big", signed=True)
        case float():
            return struct.pack(">d", value)
        case str():
            return value.encode("utf-8", "surrogatepass")
        case _:
            return key.encode()
