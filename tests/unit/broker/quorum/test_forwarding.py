"""Admin requests in envelopes: what the controller gets, and what the client hears."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.config import BrokerConfig
from riacho.broker.environment import Environment, SystemNetwork
from riacho.broker.handlers import envelope
from riacho.broker.handlers.table import BY_KEY, CONTROLLER_BY_KEY
from riacho.broker.parts.breakdown import Breakdown
from riacho.broker.peers.peer_connector import PeerConnector
from riacho.broker.quorum.controller_channel import ControllerChannel
from riacho.broker.quorum.enveloped import serve_enveloped
from riacho.broker.quorum.forwarding import Forwarding, decode_principal, encode_principal
from riacho.broker.quorum.quorum import Quorum
from riacho.broker.requests.large_requests import LargeRequests
from riacho.broker.requests.later import Later
from riacho.broker.requests.memory_pool import MemoryPool
from riacho.broker.requests.request_context import RequestContext
from riacho.client.client_security import ClientSecurity
from riacho.log.directories import LogDirectories
from riacho.wire.codec import decode, encoder
from riacho.wire.header import decode_response_header, encode_request_header
from riacho.wire.messages.allocate_producer_ids_request import AllocateProducerIdsRequest
from riacho.wire.messages.create_topics_request import CreateTopicsRequest
from riacho.wire.messages.create_topics_response import CreateTopicsResponse
from riacho.wire.messages.envelope_request import EnvelopeRequest
from riacho.wire.messages.envelope_response import EnvelopeResponse
from riacho.wire.messages.heartbeat_request import HeartbeatRequest
from support.broker_fakes import SetClock, api, recorded_logs
from support.metadata_broker import Context, CountingRng, MetadataBroker, run
from support.metadata_world import topic
from support.simulated_files import SimulatedFiles

CREATE_TOPICS = BY_KEY[19]
NEAR_ID = 9
NEAR = {
    "process.roles": "broker",
    "node.id": str(NEAR_ID),
    "log.dirs": "/near/data",
    "controller.listener.names": "CONTROLLER",
    "controller.quorum.voters": "1@a:1,2@b:2,3@c:3",
}
LOCALHOST = bytes([127, 0, 0, 1])


def frame_of(request: Any, version: int) -> bytes:
    out = bytearray()
    encode_request_header(request.API_KEY, version, 77, "client", out)
    encoder(type(request), version)(request, out, None)
    return bytes(out)


def creation(name: str) -> bytes:
    return frame_of(CreateTopicsRequest(topics=[topic(name)], timeout_ms=5_000), 7)


@pytest.fixture
def broker(tmp_path: Path) -> MetadataBroker:
    return MetadataBroker(tmp_path)


@pytest.mark.parametrize("principal", ["User:ANONYMOUS", "User:CN=a,OU=b", "User:"])
def test_principals_survive_the_way(principal: str) -> None:
    assert decode_principal(encode_principal(principal)) == principal


@pytest.mark.parametrize("data", [None, b"", b"\x00", b"\x00\x00\x05", b"\x00\x63\x01"])
def test_a_principal_that_cannot_be_read_is_refused(data: bytes | None) -> None:
    with pytest.raises(KafkaError) as raised:
        decode_principal(data)
    assert raised.value.code is ErrorCode.PRINCIPAL_DESERIALIZATION_FAILURE


def test_the_controller_answers_with_the_clients_own_bytes(broker: MetadataBroker) -> None:
    data = run(serve_enveloped(Context(broker, 0), broker.logs, CONTROLLER_BY_KEY, creation("a"), "User:x", LOCALHOST))
    correlation_id, position = decode_response_header(19, 7, data)
    assert correlation_id == 77
    response = decode(CreateTopicsResponse, 7, data, position)
    assert [(each.name, each.error_code) for each in response.topics] == [("a", 0)]
    assert "a" in broker.metadata.image.topics


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (frame_of(HeartbeatRequest(), 4), ErrorCode.INVALID_REQUEST),
        (frame_of(CreateTopicsRequest(), 7)[:-3], ErrorCode.INVALID_REQUEST),
        (b"\x00\x13", ErrorCode.INVALID_REQUEST),
        (b"\x00\x13\x00\x63" + creation("a")[4:], ErrorCode.UNSUPPORTED_VERSION),
    ],
    ids=["not forwardable", "malformed", "no header", "unknown version"],
)
def test_what_does_not_belong_into_an_envelope_is_refused(broker: MetadataBroker, data: bytes, code: ErrorCode) -> None:
    request = EnvelopeRequest(
        request_data=data, request_principal=encode_principal("User:x"), client_host_address=LOCALHOST
    )
    response = run(envelope.handle(Context(broker, 0), request))
    assert response.error_code == code
    assert response.response_data is None
    assert broker.metadata.image.topics == {}


def test_a_node_out_of_office_sends_the_envelope_back(broker: MetadataBroker) -> None:
    broker.controller.is_active = False
    request = EnvelopeRequest(request_data=creation("a"), request_principal=encode_principal("User:x"))
    assert run(envelope.handle(Context(broker, 0), request)).error_code == ErrorCode.NOT_CONTROLLER


class Peer:
    """Another node's controller listener, in this process."""

    def __init__(self, controller: MetadataBroker, *before: Any) -> None:
        self.controller = controller
        self.before = list(before)
        self.sent: list[Any] = []
        self.host, self.port = "h", 1

    async def send(self, request: Any, *, version: int | None = None, timeout_ms: int | None = None) -> Any:
        self.sent.append(request)
        if self.before:
            answer = self.before.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer
        if isinstance(request, EnvelopeRequest):
            return await envelope.handle(Context(self.controller, 0), request)
        return await self.controller.controller_channel.send(request)

    def close(self) -> None:
        pass


class OnePeer(PeerConnector):
    """Every connection to a controller is this peer."""

    def __init__(self, peer: Peer) -> None:
        super().__init__(NEAR_ID, SystemNetwork(), ClientSecurity(), ClientSecurity())
        self._only: Any = peer

    def to_controller(self, host: str, port: int, purpose: str) -> Any:
        return self._only


class Near:
    """A broker whose controller is elsewhere, as far as requests are brought there."""

    def __init__(self, peer: Peer) -> None:
        self.config = BrokerConfig(NEAR)
        files = SimulatedFiles(Random(1), "/near", lambda: 0)
        directories = LogDirectories(
            self.config.log_dirs, node_id=NEAR_ID, cluster_id="c", new_directory_id=lambda: b"d" * 16, files=files
        )
        environment = Environment(SetClock(), CountingRng(1), files=files)
        quorum = Quorum(
            self.config, environment, recorded_logs()[0], directories, [], ClientSecurity(), Breakdown().happen
        )
        self.controller, self.raft, self.metadata = quorum.controller, quorum.raft, quorum.metadata
        self.leader_is("h", 1)
        connector = OnePeer(peer)
        self.controller_channel = ControllerChannel(
            self.controller, self.raft, connector, CONTROLLER_BY_KEY, self.context
        )
        self.forwarding = Forwarding(
            self.controller, self.raft, self.controller_channel, connector, self.config.get("request.timeout.ms")
        )

    def leader_is(self, *address: Any) -> None:
        """Where the quorum's leader is; nowhere without an address."""
        self.raft.leader_address = lambda: address or None  # type: ignore[method-assign]

    def context(self, host: str = "10.1.2.3") -> RequestContext:
        large_requests = LargeRequests(MemoryPool(1 << 20))
        context = RequestContext(None, self.metadata, large_requests, "PLAINTEXT", host)
        context.version, context.principal = 7, "User:ann"
        return context


def follower(controller: MetadataBroker, *before: Any) -> tuple[Near, Peer]:
    peer = Peer(controller, *before)
    return Near(peer), peer


def forwarded(near: Near, data: bytes) -> Any:
    return asyncio.run(near.forwarding.forward(near.context(), CREATE_TOPICS, data, 2_000))


def test_a_broker_brings_the_request_to_the_controller(broker: MetadataBroker) -> None:
    near, peer = follower(broker)
    response = forwarded(near, creation("a"))
    assert [(each.name, each.error_code) for each in response.topics] == [("a", 0)]
    (sent,) = peer.sent
    assert sent.request_data == creation("a")
    assert decode_principal(sent.request_principal) == "User:ann"
    assert sent.client_host_address == bytes([10, 1, 2, 3])


@pytest.mark.parametrize(
    "failure",
    [
        KafkaError(ErrorCode.NETWORK_EXCEPTION),
        EnvelopeResponse(error_code=ErrorCode.NOT_CONTROLLER, response_data=None),
    ],
    ids=["lost", "out of office"],
)
def test_it_tries_again_while_the_quorum_settles(broker: MetadataBroker, failure: Any) -> None:
    near, peer = follower(broker, failure, failure)
    assert forwarded(near, creation("a")).topics[0].error_code == 0
    assert len(peer.sent) == 3


def test_when_the_time_is_up_the_client_hears_why(broker: MetadataBroker) -> None:
    near, _ = follower(broker)
    near.leader_is()
    with pytest.raises(KafkaError) as raised:
        asyncio.run(near.forwarding.forward(near.context("::1"), CREATE_TOPICS, creation("a"), 120))
    assert raised.value.code is ErrorCode.NOT_CONTROLLER


@pytest.mark.parametrize("moment", ["before the append", "before the commit"])
def test_a_controller_that_loses_its_office_brings_the_request_to_the_next(broker: MetadataBroker, moment: str) -> None:
    """The client asked the right node, and must not hear of elections."""
    near, peer = follower(broker)
    near.controller.is_active = True
    lost = KafkaError(ErrorCode.NOT_CONTROLLER)

    async def later() -> None:
        raise lost

    def handle(ctx: Any, request: Any) -> Any:
        near.controller.is_active = False
        if moment == "before the commit":
            return Later.of(later())
        raise lost

    asked = api(19, handle)
    request = CreateTopicsRequest(timeout_ms=2_000)
    decided = near.forwarding.decided(near.context(), asked, request, bytearray(creation("a")))
    assert [(each.name, each.error_code) for each in asyncio.run(decided).topics] == [("a", 0)]
    assert len(peer.sent) == 1


# The channel


def test_the_channel_finds_the_controller_in_this_very_process(broker: MetadataBroker) -> None:
    epoch = broker.lifecycle.epoch
    request = AllocateProducerIdsRequest(broker_id=1, broker_epoch=epoch)
    first = run(broker.controller_channel.send(request))
    second = run(broker.controller_channel.send(request))
    assert (first.error_code, second.error_code) == (0, 0)
    assert second.producer_id_start == first.producer_id_start + first.producer_id_len


def test_the_channel_asks_another_node_over_the_wire(broker: MetadataBroker) -> None:
    near, peer = follower(broker)
    request = AllocateProducerIdsRequest(broker_id=1, broker_epoch=broker.lifecycle.epoch)
    assert run(near.controller_channel.send(request)).error_code == 0
    assert peer.sent == [request]


def test_one_attempt_fails_where_asking_goes_on(broker: MetadataBroker) -> None:
    request = AllocateProducerIdsRequest(broker_id=1, broker_epoch=broker.lifecycle.epoch)
    near, _ = follower(broker, KafkaError(ErrorCode.NETWORK_EXCEPTION))
    with pytest.raises(KafkaError):
        run(near.controller_channel.send(request))
    near, peer = follower(broker, KafkaError(ErrorCode.NETWORK_EXCEPTION))
    assert run(near.controller_channel.ask(request)).error_code == 0
    assert len(peer.sent) == 2


def test_without_a_leader_there_is_nobody_to_ask(broker: MetadataBroker) -> None:
    near, _ = follower(broker)
    near.leader_is()
    with pytest.raises(KafkaError) as raised:
        run(near.controller_channel.send(AllocateProducerIdsRequest()))
    assert raised.value.code is ErrorCode.NOT_CONTROLLER
