"""JSON text inside calls: kept as it was sent where it can be, as to read and write it again is most of the work."""

from __future__ import annotations

from typing import Any

import msgspec

_decode = msgspec.json.decode
_format = msgspec.json.format


class JsonError(ValueError):
    """Bytes that are no JSON, said in one sentence."""


def parse_json(text: bytes | memoryview) -> Any:
    try:
        return _decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise JsonError(str(error) or "it is nested too deeply") from None


def check_text(text: bytes) -> None:
    """That it is UTF-8: msgspec does not look into strings that it hands on unread."""
    if not text.isascii():
        try:
            text.decode()
        except UnicodeDecodeError:
            raise JsonError("it is not UTF-8") from None


def has_space(text: bytes) -> bool:
    """Whether there is any white space, be it only inside of strings."""
    return b" " in text or b"\n" in text or b"\r" in text or b"\t" in text


def compact(text: bytes) -> bytes:
    """Without white space between tokens; numbers and strings stay as they were written."""
    return _format(text, indent=-1) if has_space(text) else text
