"""Admin requests that reached a broker, brought to the active controller in an envelope (KIP-590).

The envelope carries the client's own request, byte for byte, with who and where the client is. The controller answers
with the bytes that it would have sent the client. While the quorum has no leader, or has a new one, the request is
tried again until its time is up; then the client gets NOT_CONTROLLER, and may ask another node.
"""

from __future__ import annotations

import asyncio
import ipaddress
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.requests.large_requests import handled
from riacho.broker.requests.later import settled
from riacho.client.peer.peer import Peer
from riacho.wire import codec
from riacho.wire.header import decode_response_header
from riacho.wire.messages.default_principal_data import DefaultPrincipalData
from riacho.wire.messages.envelope_request import EnvelopeRequest
from riacho.wire.messages.envelope_response import EnvelopeResponse
from riacho.wire.primitives import WireError

if TYPE_CHECKING:
    from riacho.broker.peers.peer_connector import PeerConnector
    from riacho.broker.quorum.controller_channel import ControllerChannel
    from riacho.broker.quorum.controller_driver import ControllerDriver
    from riacho.broker.quorum.raft_driver import RaftDriver
    from riacho.broker.requests.api import Answer, Api, Request
    from riacho.broker.requests.request_context import RequestContext
    from riacho.wire.schema import Message

_PRINCIPAL_VERSION = 0
_RETRY_PAUSE_MS = 50
_CONNECTIONS_MAX = 4


class Forwarding:
    def __init__(
        self,
        controller: ControllerDriver,
        raft: RaftDriver,
        channel: ControllerChannel,
        connector: PeerConnector,
        timeout_ms: int,
    ) -> None:
        """`timeout_ms` is `request.timeout.ms`."""
        self._controller = controller
        self._raft = raft
        self._channel = channel
        self._connector = connector
        self._timeout_ms = timeout_ms
        self._peers: list[Peer] = []
        self._address: tuple[str, int] | None = None
        self._turn = 0

    async def decided(self, context: RequestContext, api: Api, request: Request, frame: bytearray) -> Answer:
        """The answer of the active controller: this node, or another, also when that changes meanwhile (KIP-590)."""
        refusal = api.screen(context, request)
        if refusal is not None:
            return refusal
        if self._controller.is_active:
            try:
                return await settled(handled(context, api, request))
            except KafkaError as error:
                if error.code is not ErrorCode.NOT_CONTROLLER:
                    raise
        return await self.forward(context, api, bytes(frame), getattr(request, "timeout_ms", None))

    async def forward(self, context: RequestContext, api: Api, frame: bytes, client_timeout_ms: int | None) -> Message:
        """The controller's response to the request in `frame`, header and body."""
        version = context.version
        envelope = EnvelopeRequest(
            request_data=frame,
            request_principal=encode_principal(context.principal, context.is_token_authenticated),
            client_host_address=_packed(context.client_host),
        )
        timeout_ms = self._timeout_ms
        if client_timeout_ms is not None and client_timeout_ms > 0:
            timeout_ms = min(timeout_ms, client_timeout_ms)
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout_ms / 1000
        while True:
            try:
                left_ms = max(1, int((deadline - loop.time()) * 1000))
                response: EnvelopeResponse = await self._peer().send(envelope, timeout_ms=left_ms)
                if response.error_code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED:
                    # It is this broker that may not forward; the client has done nothing wrong.
                    problem = "this broker may not forward requests to the controller"
                    raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, problem)
                if response.error_code:
                    raise KafkaError(ErrorCode(response.error_code), "the controller did not take the request")
                return _opened(response, api, version)
            except KafkaError as error:
                if not error.code.retriable or loop.time() + _RETRY_PAUSE_MS / 1000 > deadline:
                    raise
            await self._channel.pause(_RETRY_PAUSE_MS)
            if self._controller.is_active:
                # This node became the active controller while the client waited.
                return await self._serve_here(context, api, frame)

    async def _serve_here(self, context: RequestContext, api: Api, frame: bytes) -> Message:
        from riacho.broker.quorum.enveloped import serve_inner

        return await serve_inner(context, api, frame)

    def _peer(self) -> Peer:
        """One of a few connections in turn: a request that waits for its commit must not hold up the next."""
        address = self._raft.leader_address()
        if address is None:
            raise KafkaError(ErrorCode.NOT_CONTROLLER, "the metadata quorum has no leader now")
        if address != self._address:
            self.close()
            self._address = address
        if len(self._peers) < _CONNECTIONS_MAX:
            self._peers.append(self._connector.to_controller(*address, "forwarding"))
        self._turn += 1
        return self._peers[self._turn % len(self._peers)]

    def close(self) -> None:
        for peer in self._peers:
            peer.close()
        self._peers = []


def encode_principal(principal: str, is_token_authenticated: bool = False) -> bytes:
    """`User:name` as Kafka's default principal builder serializes it: a version, then the message."""
    kind, _, name = principal.partition(":")
    data = DefaultPrincipalData(type=kind, name=name, token_authenticated=is_token_authenticated)
    return _PRINCIPAL_VERSION.to_bytes(2, "big") + bytes(codec.encode(data, _PRINCIPAL_VERSION))


def decode_principal(data: bytes | None) -> str:
    if not data or len(data) < 2:
        raise KafkaError(ErrorCode.PRINCIPAL_DESERIALIZATION_FAILURE)
    try:
        found = codec.decode(DefaultPrincipalData, int.from_bytes(data[:2], "big"), data, 2)
    except (WireError, KeyError) as error:
        raise KafkaError(ErrorCode.PRINCIPAL_DESERIALIZATION_FAILURE, str(error)) from error
    return f"{found.type}:{found.name}"


def _packed(host: str) -> bytes:
    try:
        return ipaddress.ip_address(host).packed
    except ValueError:
        return bytes(4)


def _opened(response: EnvelopeResponse, api: Api, version: int) -> Message:
    data = response.response_data or b""
    try:
        _, position = decode_response_header(api.key, version, data)
        message, _ = api.response_decoder(version)(data, position)
    except WireError as error:
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, f"the controller's answer cannot be read: {error}") from error
    return message
