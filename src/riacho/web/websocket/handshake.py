"""The offer to make a WebSocket of a connection of HTTP/1.1, looked at before its endpoint is asked; its acceptance.

Who calls, from which site and whether there is room was looked at before, as of every call; what is refused is answered
as every call is.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterable, Mapping

from starlette.types import Scope

from riacho.web.errors import ApiError, plain_error
from riacho.web.upgrade import WEBSOCKET

_VERSION = b"13"
_KEY_BYTES = 16
# RFC 6455, 1.3: what a server adds to the key to show that it knows what it is asked for.
_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def check_offer(scope: Scope, headers: Mapping[bytes, bytes]) -> None:
    """ApiError 426 where the call does not offer it, or not as we know it; 400 where it does so badly."""
    if WEBSOCKET not in scope:
        raise plain_error(426, {"Upgrade": "websocket"})
    if headers.get(b"sec-websocket-version") != _VERSION:
        raise plain_error(426, {"Upgrade": "websocket", "Sec-WebSocket-Version": _VERSION.decode()})
    try:
        key = base64.b64decode(headers.get(b"sec-websocket-key", b""), validate=True)
    except binascii.Error:
        key = b""
    if len(key) != _KEY_BYTES:
        raise ApiError(400, 400, "Sec-WebSocket-Key is not 16 bytes in base64.")


def offered_subprotocols(headers: Mapping[bytes, bytes]) -> list[str]:
    given = headers.get(b"sec-websocket-protocol", b"").decode("latin-1")
    return [name.strip() for name in given.split(",") if name.strip()]


def acceptance(headers: Iterable[tuple[bytes, bytes]], subprotocol: str | None) -> bytes:
    """The head of the answer."""
    key = dict(headers)[b"sec-websocket-key"]
    token = base64.b64encode(hashlib.sha1(key + _GUID, usedforsecurity=False).digest())
    lines = [
        b"HTTP/1.1 101 Switching Protocols",
        b"connection: upgrade",
        b"upgrade: websocket",
        b"sec-websocket-accept: " + token,
    ]
    if subprotocol is not None:
        lines.append(b"sec-websocket-protocol: " + subprotocol.encode("ascii"))
    return b"\r\n".join([*lines, b"", b""])
