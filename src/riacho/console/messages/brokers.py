"""Connections to a cluster's brokers for reading, on the event loop: one a broker, made when it is needed.

The client that brokers use among themselves (`client/peer/`) has many requests in flight on a connection and no thread;
a reader of librdkafka's would take megabytes and some threads each.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

from riacho.base.ports import Network
from riacho.client.peer.peer import Peer
from riacho.client.settings import ClientSettings
from riacho.console.messages.ranges import Leader
from riacho.wire.messages.fetch_request import FetchRequest
from riacho.wire.messages.fetch_response import FetchResponse

_CLIENT_ID = "riacho-console"
REQUEST_TIMEOUT_MS = 15_000


class Brokers:
    def __init__(self, settings: ClientSettings) -> None:
        self._settings = settings
        self._peers: dict[tuple[str, int], Peer] = {}

    async def fetch(self, leader: Leader, request: FetchRequest) -> FetchResponse:
        """KafkaError."""
        response: FetchResponse = await self._peer(leader).send(request)
        return response

    def close(self) -> None:
        """At once: whoever waits for an answer is told so."""
        for peer in self._peers.values():
            peer.close()
        self._peers.clear()

    def _peer(self, leader: Leader) -> Peer:
        address = (leader.host, leader.port)
        peer = self._peers.get(address)
        if peer is None:
            settings = self._settings
            peer = self._peers[address] = Peer(
                cast(Network, _Outgoing()),
                *address,
                client_id=_CLIENT_ID,
                connect_timeout_ms=min(settings.connect_timeout_ms, REQUEST_TIMEOUT_MS),
                request_timeout_ms=min(settings.request_timeout_ms, REQUEST_TIMEOUT_MS),
                security=settings.security,
            )
        return peer


class _Outgoing:
    """Of a network, the one door that a reader needs."""

    async def connect(self, host: str, port: int, protocol_factory: Callable[[], Any], *, tls: Any = None) -> Any:
        loop = asyncio.get_running_loop()
        name = host if tls is not None else None
        return await loop.create_connection(protocol_factory, host, port, ssl=tls, server_hostname=name)
