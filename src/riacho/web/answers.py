"""Answers of endpoints: JSON made by msgspec, in the media type that the caller asked for.

Starlette's `Response` is what the server understands; its headers are written here directly, because most answers have
two of them and looking them up by name would cost more than the answer itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

import msgspec
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

_encode = msgspec.json.Encoder().encode
# Where the router leaves the media type that was negotiated.
ANSWER_TYPE = "riacho.answer_type"
_DEFAULT_TYPE = "application/json"
_BODILESS = frozenset({204, 304})
_SENT_A_TURN_BYTES = 64 * 1024


class JsonAnswer(Response):
    """`media_type` None: the type negotiated for the call, known when the answer is sent."""

    def __init__(
        self, body: bytes, status: int = 200, media_type: str | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        self.status_code = status
        self.media_type = media_type
        self.background = None
        self.body = body
        self.raw_headers = [(b"content-length", b"%d" % len(body))] if status not in _BODILESS else []
        for name, value in (headers or {}).items():
            self.raw_headers.append((name.lower().encode("latin-1"), value.encode("latin-1")))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = self.raw_headers
        if self.body:
            kind = self.media_type or scope.get(ANSWER_TYPE) or _DEFAULT_TYPE
            headers = [*headers, (b"content-type", kind.encode("latin-1"))]
        await send({"type": "http.response.start", "status": self.status_code, "headers": headers})
        await send({"type": "http.response.body", "body": self.body})


class StreamAnswer(Response):
    """Pieces that are sent as they come. Starlette's own would read the request meanwhile, to see whether the caller
    has gone, and so eat the body of a call that is answered while it still comes (`is_duplex`)."""

    def __init__(
        self,
        pieces: AsyncIterator[bytes],
        status: int = 200,
        media_type: str | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        is_duplex: bool = False,
    ) -> None:
        self.status_code = status
        self.media_type = media_type
        self.background = None
        self.raw_headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in (headers or {}).items()]
        self.pieces = pieces
        self._is_duplex = is_duplex

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        kind = self.media_type or scope.get(ANSWER_TYPE) or _DEFAULT_TYPE
        headers = [*self.raw_headers, (b"content-type", kind.encode("latin-1"))]
        await send({"type": "http.response.start", "status": self.status_code, "headers": headers})
        try:
            if scope["method"] == "HEAD":
                await send({"type": "http.response.body", "body": b""})
            elif self._is_duplex:
                await self._send_pieces(send)
            else:
                await self._send_unless_gone(receive, send)
        finally:
            close = getattr(self.pieces, "aclose", None)
            if close is not None:
                await close()

    async def _send_pieces(self, send: Send) -> None:
        sent_bytes = 0
        async for piece in self.pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            sent_bytes += len(piece)
            if sent_bytes >= _SENT_A_TURN_BYTES:
                # Pieces that are all at hand would never let anybody else have a turn.
                sent_bytes = 0
                await asyncio.sleep(0)
        await send({"type": "http.response.body", "body": b""})

    async def _send_unless_gone(self, receive: Receive, send: Send) -> None:
        """The source may be silent for long: that the caller has gone must be noticed all the same."""
        sending = asyncio.ensure_future(self._send_pieces(send))
        gone = asyncio.ensure_future(_until_gone(receive))
        try:
            await asyncio.wait({sending, gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            is_sent = sending.done()
            for task in (sending, gone):
                task.cancel()
            results = await asyncio.gather(sending, gone, return_exceptions=True)
        if not is_sent:
            raise ClientDisconnect
        if isinstance(results[0], Exception):
            raise results[0]


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def json_answer(
    value: Any, status: int = 200, media_type: str | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    """Whatever msgspec can encode. Without a media type it is the one negotiated for the call."""
    return JsonAnswer(_encode(value), status, media_type, headers)


def raw_json(
    body: bytes, status: int = 200, media_type: str | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    """JSON that is text already."""
    return JsonAnswer(body, status, media_type, headers)


def stream_answer(
    pieces: AsyncIterator[bytes],
    status: int = 200,
    media_type: str | None = None,
    headers: Mapping[str, str] | None = None,
    *,
    is_duplex: bool = False,
) -> Response:
    """An answer of unknown length. `is_duplex`: the pieces are made while the body of the call is still read. When the
    caller goes away, `pieces` is closed; in a duplex answer it is the reading of the body that tells."""
    return StreamAnswer(pieces, status, media_type, headers, is_duplex=is_duplex)


def no_content(headers: Mapping[str, str] | None = None) -> Response:
    return JsonAnswer(b"", 204, None, headers)


def error_answer(
    status: int,
    error_code: int,
    message: str,
    media_type: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """The envelope that every service of Confluent's tells its errors in."""
    return JsonAnswer(_encode({"error_code": error_code, "message": message}), status, media_type, headers)
