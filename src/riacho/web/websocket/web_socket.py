"""What the handler of a WebSocket endpoint is given, and how it says that it wants one.

    async def watch(call: Call) -> Response:
        query = call.text("sql")                        # what is refused here is answered over HTTP
        async def talk(socket: WebSocket) -> None:
            async for message in socket:
                await socket.send_text(...)
        return websocket_answer(talk)

    Endpoint("GET", "/ws/query", watch, "Rows as they come.", is_websocket=True)

When `talk` returns, the socket is closed; what it raises closes it with a code, ApiError with its message. It ends when
the caller has gone: `receive` gives None, `send_text` raises ClientDisconnect, and one that does neither is cancelled.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from riacho.web.errors import ApiError
from riacho.web.upgrade import WEBSOCKET

if TYPE_CHECKING:
    from riacho.web.websocket.connection import WebSocketProtocol

_MESSAGE_BYTES_MAX = 1024 * 1024


class WebSocket:
    """`close_code` and `close_reason` say why it ended, once it has."""

    def __init__(self, connection: WebSocketProtocol) -> None:
        self._connection = connection

    @property
    def close_code(self) -> int | None:
        return self._connection.close_code

    @property
    def close_reason(self) -> str:
        return self._connection.close_reason

    async def receive(self) -> str | bytes | None:
        """The next message, text or bytes; None when there will be no more."""
        return await self._connection.receive()

    async def __aiter__(self) -> AsyncIterator[str | bytes]:
        while (message := await self._connection.receive()) is not None:
            yield message

    async def send_text(self, text: str) -> None:
        """Waits while the caller does not read. ClientDisconnect when it has gone."""
        await self._connection.send(text)

    async def send_bytes(self, data: bytes) -> None:
        await self._connection.send(data)

    async def close(self, code: int = 1000, reason: str = "") -> None:
        """The reason is cut after 123 bytes. May be called again."""
        await self._connection.close(code, reason)


Talk = Callable[[WebSocket], Awaitable[None]]


class WebSocketAnswer(Response):
    def __init__(self, talk: Talk, *, message_bytes_max: int, subprotocol: str | None) -> None:
        self.status_code = 101
        self.background = None
        self._talk = talk
        self._message_bytes_max = message_bytes_max
        self._subprotocol = subprotocol

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from riacho.web.websocket.connection import CLOSE_TIMEOUT_S, INTERNAL, NORMAL, POLICY, WebSocketOptions

        connection = scope[WEBSOCKET](WebSocketOptions(self._message_bytes_max, self._subprotocol))
        socket = WebSocket(connection)
        talking = asyncio.ensure_future(self._talk(socket))
        ended = asyncio.ensure_future(connection.is_ended.wait())
        try:
            await asyncio.wait({talking, ended}, return_when=asyncio.FIRST_COMPLETED)
            if not talking.done():
                await asyncio.wait({talking}, timeout=CLOSE_TIMEOUT_S)
        finally:
            for task in (talking, ended):
                task.cancel()
            result, _ = await asyncio.gather(talking, ended, return_exceptions=True)
        if isinstance(result, ApiError):
            await socket.close(POLICY if result.status < 500 else INTERNAL, result.message)
        elif isinstance(result, ClientDisconnect | asyncio.CancelledError):
            raise ClientDisconnect
        elif isinstance(result, BaseException):
            await socket.close(INTERNAL, "Internal Server Error")
            raise result
        else:
            await socket.close(NORMAL)


def websocket_answer(
    talk: Talk, *, message_bytes_max: int = _MESSAGE_BYTES_MAX, subprotocol: str | None = None
) -> Response:
    """Of an endpoint with `is_websocket`. A larger message ends the conversation (1009). `subprotocol` has to be one of
    those that the call offers (`offered_subprotocols`)."""
    return WebSocketAnswer(talk, message_bytes_max=message_bytes_max, subprotocol=subprotocol)
