"""NONE: no columns, and nothing in the payload. Whatever a topic has there is passed over."""

from __future__ import annotations

from riacho.pipelines.sql.formats.codec import Row


class NoneCodec:
    def decode(self, payload: bytes | None) -> Row | None:
        return None

    def encode(self, row: Row | None) -> bytes | None:
        return None
