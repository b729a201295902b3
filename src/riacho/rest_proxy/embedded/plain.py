"""Formats without a schema: JSON of a call -> bytes of a record. JSON null is no key, or a tombstone."""

from __future__ import annotations

import binascii
from collections.abc import Callable

import msgspec

from riacho.rest_proxy.embedded.format import Format
from riacho.rest_proxy.embedded.json_text import compact
from riacho.web.errors import ApiError

Encode = Callable[[msgspec.Raw], bytes | None]
_decode_text = msgspec.json.Decoder(str).decode


def encode_json(data: msgspec.Raw) -> bytes | None:
    text = bytes(data)
    return None if text == b"null" else compact(text)


def encode_compact_json(data: msgspec.Raw) -> bytes | None:
    """For those who know that there is no white space in it."""
    text = bytes(data)
    return None if text == b"null" else text


def encode_binary(data: msgspec.Raw) -> bytes | None:
    text = _text(data, "binary data must be a string of base64")
    return None if text is None else decode_base64(text)


def encode_string(data: msgspec.Raw) -> bytes | None:
    text = _text(data, "data of type STRING must be a string")
    return None if text is None else text.encode()


def decode_base64(text: str) -> bytes:
    try:
        return binascii.a2b_base64(text, strict_mode=True)
    except (ValueError, binascii.Error):
        raise ApiError(422, 42206, f"Payload error. Not a string of base64: {_shown(text)}") from None


def _text(data: msgspec.Raw, wanted: str) -> str | None:
    raw = bytes(data)
    if raw == b"null":
        return None
    try:
        return _decode_text(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise ApiError(422, 42206, f"Payload error. The {wanted}.") from None


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:40] + "...")


PLAIN: dict[Format, Encode] = {
    Format.JSON: encode_json,
    Format.BINARY: encode_binary,
    Format.STRING: encode_string,
}
