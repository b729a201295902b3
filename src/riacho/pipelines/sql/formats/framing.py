"""What stands before a payload whose schema is registered: a zero byte, and the schema's id in four."""

from __future__ import annotations

from riacho.pipelines.sql.formats.codec import CodecError

PREFIX_BYTES = 5


def schema_id_of(payload: bytes) -> int:
    if len(payload) < PREFIX_BYTES or payload[0] != 0:
        raise CodecError("Unknown magic byte!")
    return int.from_bytes(payload[1:PREFIX_BYTES], "big")


def prefix_of(schema_id: int) -> bytes:
    return b"\0" + schema_id.to_bytes(4, "big")
