"""What v2 and v3 records have in common besides key and value: headers, and the time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from riacho.rest_proxy.embedded.plain import decode_base64
from riacho.web.errors import ApiError

_MS_MAX = (1 << 63) - 1


class RecordHeader(msgspec.Struct):
    """`value` is base64, or null."""

    name: str
    value: str | None = None


def headers_of(headers: Sequence[RecordHeader]) -> list[tuple[str, str | bytes | None]] | None:
    if not headers:
        return None
    for header in headers:
        if "\0" in header.name:
            raise ApiError(422, 42206, "Payload error. The name of a header must not contain NUL.")
    return [(header.name, None if header.value is None else decode_base64(header.value)) for header in headers]


def timestamp_ms_of(time: int | str) -> int:
    """From milliseconds since 1970, or from ISO 8601 as in `2026-01-31T12:00:00Z`."""
    timestamp_ms = _parsed_ms(time) if isinstance(time, str) else time
    if not 0 < timestamp_ms <= _MS_MAX:
        raise ApiError(400, 400, f"The timestamp {timestamp_ms} is not a time after 1970.")
    return timestamp_ms


def _parsed_ms(text: str) -> int:
    try:
        moment = datetime.fromisoformat(text)
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
    except (ValueError, OverflowError):
        raise ApiError(400, 400, f"The timestamp {text[:40]!r} is not a time in ISO 8601.") from None


def time_text(timestamp_ms: int) -> str:
    """As Java prints an Instant: milliseconds only where there are any."""
    seconds, milliseconds = divmod(timestamp_ms, 1000)
    try:
        whole = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return str(timestamp_ms)
    return f"{whole}.{milliseconds:03d}Z" if milliseconds else f"{whole}Z"
