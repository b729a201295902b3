"""From a frame to a handler: what is refused, and what becomes of a handler's mistakes."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Callable
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.faults import FaultRule, Faults
from riacho.broker.handlers.table import BY_KEY
from riacho.wire.messages.api_versions_response import ApiVersionsResponse
from riacho.wire.messages.heartbeat_request import HeartbeatRequest
from riacho.wire.messages.heartbeat_response import HeartbeatResponse
from riacho.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from riacho.wire.messages.produce_response import ProduceResponse
from support.broker_fakes import FakeBroker, FakeTransport, api, connect, request_frame, responses

HEARTBEAT, PRODUCE, API_VERSIONS = 12, 0, 18

Serve = Callable[[bytes], FakeTransport]


@pytest.fixture
def broker() -> FakeBroker:
    return FakeBroker()


@pytest.fixture
def serve(broker: FakeBroker) -> Serve:
    def run(data: bytes) -> FakeTransport:
        connection, transport = connect(broker.listener())
        connection.data_received(data)
        return transport

    return run


def handled_by(monkeypatch: pytest.MonkeyPatch, key: int, handle: Callable[[Any, Any], Any]) -> None:
    monkeypatch.setitem(BY_KEY, key, api(key, handle, (BY_KEY[key].version_min, BY_KEY[key].version_max)))


def framed(body: bytes) -> bytes:
    return struct.pack(">i", len(body)) + body


def test_the_context_says_who_asks(monkeypatch: pytest.MonkeyPatch, serve: Serve) -> None:
    seen: list[tuple[object, ...]] = []

    def handle(ctx: Any, request: HeartbeatRequest) -> HeartbeatResponse:
        seen.append((ctx.version, ctx.client_id, ctx.client_host, ctx.listener_name, ctx.correlation_id))
        return HeartbeatResponse()

    handled_by(monkeypatch, HEARTBEAT, handle)
    serve(request_frame(HeartbeatRequest(), 3, 9, None) + request_frame(HeartbeatRequest(), 4, 10, "me"))
    assert seen == [(3, "", "10.0.0.9", "PLAINTEXT", 9), (4, "me", "10.0.0.9", "PLAINTEXT", 10)]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (framed(struct.pack(">hhih", 999, 0, 1, -1)), "999"),
        (framed(struct.pack(">hhihB", HEARTBEAT, 99, 1, -1, 0)), "version 99 is not served"),
        (framed(struct.pack(">hhih", HEARTBEAT, -1, 1, -1)), "version -1 is not served"),
        (framed(b"\x00"), "header"),
        (framed(struct.pack(">hhih", HEARTBEAT, 0, 1, -1) + b"\x7f\xff"), "malformed Heartbeat v0"),
        (framed(struct.pack(">hhih", 4, 7, 1, -1)), "4"),
    ],
)
def test_what_cannot_be_served_ends_the_connection(data: bytes, reason: str, serve: Serve, broker: FakeBroker) -> None:
    transport = serve(data)
    assert transport.is_closing()
    assert transport.writes == []
    [line] = broker.error_lines
    assert reason in line
    assert broker.metrics.refused_connections == 1


def test_only_produce_may_be_large(serve: Serve, broker: FakeBroker) -> None:
    size = (16 << 20) + 1
    transport = serve(framed(struct.pack(">hhih", HEARTBEAT, 0, 1, -1).ljust(size, b"\x00")))
    assert transport.is_closing()
    assert f"Heartbeat of {size} bytes" in broker.error_lines[0]


def test_an_unknown_version_of_api_versions_is_answered_in_version_0(
    monkeypatch: pytest.MonkeyPatch, serve: Serve
) -> None:
    """KIP-511: a newer client learns our range from a body that every version can read; its own is not parsed."""

    def handle(ctx: Any, request: Any) -> ApiVersionsResponse:
        assert request is None
        return ApiVersionsResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)

    handled_by(monkeypatch, API_VERSIONS, handle)
    transport = serve(framed(struct.pack(">hhihB", API_VERSIONS, 99, 5, -1, 0) + b"whatever it may be"))
    [(correlation_id, answer)] = responses(transport, API_VERSIONS, 0)
    assert (correlation_id, answer.error_code) == (5, ErrorCode.UNSUPPORTED_VERSION)
    assert not transport.is_closing()


def test_a_kafka_error_becomes_the_error_answer(
    monkeypatch: pytest.MonkeyPatch, serve: Serve, broker: FakeBroker
) -> None:
    def handle(ctx: Any, request: Any) -> Any:
        raise KafkaError(ErrorCode.REBALANCE_IN_PROGRESS, "wait")

    handled_by(monkeypatch, HEARTBEAT, handle)
    transport = serve(request_frame(HeartbeatRequest(), 4))
    [(_, answer)] = responses(transport, HEARTBEAT, 4)
    assert answer.error_code == ErrorCode.REBALANCE_IN_PROGRESS
    assert broker.error_lines == []


def test_a_mistake_of_ours_is_logged_and_answered(
    monkeypatch: pytest.MonkeyPatch, serve: Serve, broker: FakeBroker
) -> None:
    def handle(ctx: Any, request: Any) -> Any:
        return 1 // 0

    handled_by(monkeypatch, HEARTBEAT, handle)
    transport = serve(request_frame(HeartbeatRequest(), 4) * 2)
    answers = responses(transport, HEARTBEAT, 4)
    assert [answer.error_code for _, answer in answers] == [ErrorCode.UNKNOWN_SERVER_ERROR] * 2
    assert "request failed api=Heartbeat version=4 client_id=client" in broker.error_lines[0]
    assert broker.metrics.request_failures == 2


def produce_frame() -> bytes:
    data = TopicProduceData(name="t", partition_data=[PartitionProduceData(index=0, records=b"")])
    return request_frame(ProduceRequest(acks=-1, topic_data=[data]), 9)


def test_a_failed_produce_hangs_up_since_the_write_may_be_stored(monkeypatch: pytest.MonkeyPatch, serve: Serve) -> None:
    def handle(ctx: Any, request: Any) -> ProduceResponse:
        raise RuntimeError("after the append")

    handled_by(monkeypatch, PRODUCE, handle)
    transport = serve(produce_frame())
    assert transport.writes == []
    assert transport.is_closing()


def test_a_coroutine_answers_when_it_is_done(monkeypatch: pytest.MonkeyPatch, broker: FakeBroker) -> None:
    async def main() -> tuple[list[int], list[int]]:
        broker.loop = asyncio.get_running_loop()
        gate = asyncio.Event()

        async def handle(ctx: Any, request: HeartbeatRequest) -> HeartbeatResponse:
            await gate.wait()
            if request.generation_id:
                raise KafkaError(ErrorCode.FENCED_INSTANCE_ID)
            return HeartbeatResponse()

        handled_by(monkeypatch, HEARTBEAT, handle)
        connection, transport = connect(broker.listener())
        frames = [request_frame(HeartbeatRequest(generation_id=number), 4, number) for number in (0, 1)]
        connection.data_received(b"".join(frames))
        await asyncio.sleep(0)
        before = [len(transport.writes)]
        gate.set()
        while len(responses(transport, HEARTBEAT, 4)) < 2:
            await asyncio.sleep(0)
        return before, [answer.error_code for _, answer in responses(transport, HEARTBEAT, 4)]

    assert asyncio.run(main()) == ([0], [ErrorCode.NONE, ErrorCode.FENCED_INSTANCE_ID])


def test_a_coroutine_whose_peer_is_gone_is_cancelled(monkeypatch: pytest.MonkeyPatch, broker: FakeBroker) -> None:
    async def main() -> str:
        broker.loop = asyncio.get_running_loop()
        started, ended = asyncio.Event(), asyncio.get_running_loop().create_future()

        async def handle(ctx: Any, request: HeartbeatRequest) -> HeartbeatResponse:
            started.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                ended.set_result("cancelled")
                raise
            return HeartbeatResponse()

        handled_by(monkeypatch, HEARTBEAT, handle)
        connection, _ = connect(broker.listener())
        connection.data_received(request_frame(HeartbeatRequest(), 4))
        await started.wait()
        connection.connection_lost(None)
        return str(await asyncio.wait_for(ended, 5))

    assert asyncio.run(main()) == "cancelled"
    assert broker.error_lines == []


def test_an_injected_fault_comes_before_the_handler(
    monkeypatch: pytest.MonkeyPatch, serve: Serve, broker: FakeBroker
) -> None:
    handled_by(monkeypatch, HEARTBEAT, lambda ctx, request: HeartbeatResponse())
    faults = Faults()
    faults.add(FaultRule(HEARTBEAT, 1, error=ErrorCode.COORDINATOR_LOAD_IN_PROGRESS))
    broker.faults = faults  # type: ignore[assignment]
    answers = responses(serve(request_frame(HeartbeatRequest(), 4) * 2), HEARTBEAT, 4)
    assert [answer.error_code for _, answer in answers] == [ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, ErrorCode.NONE]
