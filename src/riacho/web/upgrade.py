"""Offers to speak another protocol on a connection of HTTP/1.1 (RFC 9110, 7.8), and how HTTP/2 begins without one."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable

Header = tuple[bytes, bytes]

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
# Where the server leaves, in the scope of a call that offers it, what makes a WebSocket of the connection.
WEBSOCKET = "riacho.websocket"
_SETTING_BYTES = 6
# There are seven in use.
_SETTINGS_MAX = 32


def offered_upgrade(headers: Iterable[Header]) -> bytes | None:
    """The protocol, in lower case."""
    upgrade, connection = None, b""
    for name, value in headers:
        if name == b"upgrade":
            upgrade = value.lower()
        elif name == b"connection":
            connection += b"," + value
    return upgrade if b"upgrade" in _tokens(connection) else None


def has_body(headers: Iterable[Header]) -> bool:
    return any(name == b"transfer-encoding" or (name == b"content-length" and value != b"0") for name, value in headers)


def head_without_offer(method: str, url: bytes, http_version: str, headers: Iterable[Header], *, ends: bool) -> bytes:
    """The head of the same request by a caller that offers nothing. `ends`: its connection is to end after it."""
    dropped = (b"upgrade", b"connection", b"http2-settings")
    kept = [(name, value) for name, value in headers if name not in dropped]
    kept.append((b"connection", b"close" if ends else b"keep-alive"))
    first = method.encode() + b" " + url + b" HTTP/" + http_version.encode() + b"\r\n"
    return first + b"".join(name + b": " + value + b"\r\n" for name, value in kept) + b"\r\n"


def offered_settings(headers: list[Header]) -> bytes | None:
    """Those that come along with an offer of HTTP/2 (RFC 7540, 3.2.1), as base64 with its padding. None where there is
    no such offer, or not a proper one."""
    if offered_upgrade(headers) != b"h2c":
        return None
    given = [value for name, value in headers if name == b"http2-settings"]
    if len(given) != 1:
        return None
    padded = given[0] + b"=" * (-len(given[0]) % 4)
    try:
        settings = base64.b64decode(padded, altchars=b"-_", validate=True)
    except binascii.Error:
        return None
    is_proper = len(settings) % _SETTING_BYTES == 0 and len(settings) <= _SETTING_BYTES * _SETTINGS_MAX
    return padded if is_proper else None


def _tokens(value: bytes) -> set[bytes]:
    return {token.strip().lower() for token in value.split(b",")}
