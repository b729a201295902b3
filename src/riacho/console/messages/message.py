"""A message as it leaves the server: decoded, masked, and cut to what a page can show."""

from __future__ import annotations

import msgspec

VALUE_LENGTH_MAX = 16 * 1024
KEY_LENGTH_MAX = 2 * 1024
# Of a message that is asked for as a whole: as hex, that is 16 MiB.
WHOLE_LENGTH_MAX = 32 * 1024 * 1024
HEADERS_MAX = 50
HEADER_LENGTH_MAX = 512
TIMESTAMP_TYPES = ("create_time", "log_append_time")


class DecodedAs(msgspec.Struct, gc=False):
    """`format` is "null" for a tombstone or a record without a key; `reason`: why it is not shown as what it may be."""

    format: str
    schema_id: int | None = None
    reason: str | None = None


class Message(msgspec.Struct, gc=False):
    """`key` and `value` are null where the record has none, and "" where they are empty. `is_cut`: the whole is at
    `/messages/{partition}/{offset}`."""

    partition: int
    offset: int
    timestamp_ms: int
    timestamp_type: str
    key: str | None
    value: str | None
    headers: list[tuple[str, str | None]]
    key_decoded: DecodedAs
    value_decoded: DecodedAs
    size_bytes: int
    is_cut: bool


def cut_message(message: Message) -> Message:
    """In place."""
    if message.value is not None and len(message.value) > VALUE_LENGTH_MAX:
        message.value = message.value[:VALUE_LENGTH_MAX]
        message.is_cut = True
    if message.key is not None and len(message.key) > KEY_LENGTH_MAX:
        message.key = message.key[:KEY_LENGTH_MAX]
        message.is_cut = True
    if len(message.headers) > HEADERS_MAX or any(
        len(name) > HEADER_LENGTH_MAX or len(text or "") > HEADER_LENGTH_MAX for name, text in message.headers
    ):
        message.headers = [
            (name[:HEADER_LENGTH_MAX], None if text is None else text[:HEADER_LENGTH_MAX])
            for name, text in message.headers[:HEADERS_MAX]
        ]
        message.is_cut = True
    return message
