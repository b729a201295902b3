"""A node on loopback that answers as a script says, for the tests of the client that talks to it."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Callable
from typing import Any

from riacho.broker.environment import SystemNetwork
from riacho.wire.apis import request_class
from riacho.wire.codec import decode, encode
from riacho.wire.frame import FrameReader
from riacho.wire.header import decode_request_header, encode_response_header
from riacho.wire.messages.api_versions_response import ApiVersion, ApiVersionsResponse
from riacho.wire.schema import Message

HANG_UP = object()
SILENCE = None

API_VERSIONS = 18


def versions_answer(**by_key: tuple[int, int]) -> ApiVersionsResponse:
    """`versions_answer(k1=(4, 18))`: ApiVersions itself is always there."""
    ranges = {API_VERSIONS: (0, 4), **{int(key[1:]): versions for key, versions in by_key.items()}}
    return ApiVersionsResponse(
        api_keys=[ApiVersion(api_key=key, min_version=low, max_version=high) for key, (low, high) in ranges.items()]
    )


def framed(key: int, version: int, correlation_id: int, message: Message, body_version: int | None = None) -> bytes:
    out = bytearray()
    encode_response_header(key, version, correlation_id, out)
    out += encode(message, version if body_version is None else body_version)
    return struct.pack(">i", len(out)) + bytes(out)


class ScriptedNode:
    """`answer(node, request, header)` gives a message, raw bytes, SILENCE or HANG_UP; versions answer by themselves."""

    def __init__(self, answer: Callable[..., Any], versions: ApiVersionsResponse | None = None) -> None:
        self.answer = answer
        self.versions = versions or versions_answer(k3=(0, 9), k12=(0, 4), k1=(4, 18))
        self.requests: list[tuple[int, int]] = []
        self.connections: list[_Scripted] = []
        self._watchers: list[asyncio.Future[None]] = []

    async def start(self) -> int:
        network = SystemNetwork()
        self._bound = network.bind("127.0.0.1", 0)
        self._server = await network.serve(self._bound, lambda: _Scripted(self))
        return self._bound.port

    def stop(self) -> None:
        self._server.close()
        for connection in self.connections:
            connection.transport.abort()

    async def has_seen(self, key: int, count: int = 1) -> None:
        await self._until(lambda: sum(1 for seen, _ in self.requests if seen == key) >= count)

    async def has_lost_all(self) -> None:
        await self._until(lambda: all(connection.is_lost for connection in self.connections))

    async def _until(self, is_so: Callable[[], bool]) -> None:
        while not is_so():
            changed = asyncio.get_running_loop().create_future()
            self._watchers.append(changed)
            await changed

    def changed(self) -> None:
        watchers, self._watchers = self._watchers, []
        for watcher in watchers:
            watcher.set_result(None)


class _Scripted(asyncio.Protocol):
    def __init__(self, node: ScriptedNode) -> None:
        self.node = node
        self.is_lost = False
        self._frames = FrameReader(1 << 20)

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.node.connections.append(self)

    def connection_lost(self, error: Exception | None) -> None:
        self.is_lost = True
        self.node.changed()

    def data_received(self, data: bytes) -> None:
        for frame in self._frames.feed(data):
            header = decode_request_header(frame)
            self.node.requests.append((header.api_key, header.api_version))
            request = decode(request_class(header.api_key), header.api_version, frame, header.body_position)
            if header.api_key == API_VERSIONS and self.node.versions is not None:
                answer: Any = self.node.versions
            else:
                answer = self.node.answer(self, request, header)
            self.reply(answer, header)
            self.node.changed()

    def reply(self, answer: Any, header: Any) -> None:
        if answer is HANG_UP:
            self.transport.close()
        elif isinstance(answer, Message):
            self.transport.write(framed(header.api_key, header.api_version, header.correlation_id, answer))
        elif answer is not SILENCE:
            self.transport.write(answer)
