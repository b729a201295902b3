"""Quotas at a connection: the answer leaves first and says for how long, then nothing is read until that is over."""

from __future__ import annotations

from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.handlers.table import BY_KEY
from riacho.broker.logs import Logs
from riacho.broker.quotas.mutation_permits import MutationPermits
from riacho.broker.requests.api import NO_RESPONSE
from riacho.broker.requests.later import Later
from riacho.broker.requests.request_context import RequestContext
from riacho.metadata.image.client_quotas import ClientQuotas
from riacho.metadata.image.image import MetadataImage
from riacho.wire.messages.create_topics_response import CreateTopicsResponse
from riacho.wire.messages.heartbeat_request import HeartbeatRequest
from riacho.wire.messages.heartbeat_response import HeartbeatResponse
from riacho.wire.messages.produce_request import ProduceRequest
from riacho.wire.messages.produce_response import ProduceResponse
from support.broker_fakes import FakeBroker, FakeTransport, api, connect, recorded_logs, request_frame, responses

PRODUCE, HEARTBEAT = 0, 12
CLIENT = (("client-id", "client"),)


def broker_with(quotas: ClientQuotas) -> FakeBroker:
    broker = FakeBroker()
    broker.quotas.set_limits(MetadataImage(client_quotas=quotas))
    return broker


class Handler:
    def __init__(self) -> None:
        self.count = 0
        self.outcome: Any = None

    def __call__(self, ctx: Any, request: Any) -> Any:
        self.count += 1
        return self.outcome if self.outcome is not None else ProduceResponse()


@pytest.fixture
def handler(monkeypatch: pytest.MonkeyPatch) -> Handler:
    made = Handler()
    monkeypatch.setitem(BY_KEY, PRODUCE, api(PRODUCE, made))
    monkeypatch.setitem(BY_KEY, HEARTBEAT, api(HEARTBEAT, lambda ctx, request: HeartbeatResponse()))
    return made


def produce(size_bytes: int = 1_000, acks: int = 1) -> bytes:
    request = ProduceRequest(acks=acks, transactional_id="x" * size_bytes)
    return request_frame(request, 9)


def throttles(transport: FakeTransport) -> list[int]:
    return [message.throttle_time_ms for _, message in responses(transport, PRODUCE, 9)]


def test_the_answer_leaves_and_then_the_connection_is_silent(handler: Handler) -> None:
    broker = broker_with({CLIENT: {"producer_byte_rate": 100.0}})
    connection, transport = connect(broker.listener())
    frame = produce(2_000)
    size_bytes = len(frame) - 4
    connection.data_received(frame + frame)
    expected_ms = int((size_bytes / 10 - 100) / 100 * 10_000 + 0.5)
    assert throttles(transport) == [expected_ms]
    assert handler.count == 1
    assert transport.is_reading_paused
    assert broker.quotas.muted_count == 1
    assert broker.loop.timers[-1].delay_s == expected_ms / 1000
    broker.clock.at_ms += expected_ms
    broker.loop.timers[-1].fire()
    assert handler.count == 2, "what it sent meanwhile is served then"
    assert broker.quotas.produce.throttled_count == 2


def test_within_the_limit_nothing_is_different(handler: Handler) -> None:
    broker = broker_with({CLIENT: {"producer_byte_rate": 1_000_000.0}})
    connection, transport = connect(broker.listener())
    connection.data_received(produce() + produce())
    assert throttles(transport) == [0, 0]
    assert not transport.is_reading_paused
    assert broker.loop.timers == []


def test_without_quotas_there_is_no_bookkeeping(handler: Handler) -> None:
    broker = FakeBroker()
    connection, transport = connect(broker.listener())
    connection.data_received(produce(30_000))
    assert throttles(transport) == [0]
    assert connection._muting is None
    assert not broker.quotas.is_enabled


def test_a_producer_that_wants_no_answer_is_silenced_too(handler: Handler) -> None:
    handler.outcome = NO_RESPONSE
    broker = broker_with({CLIENT: {"producer_byte_rate": 100.0, "request_percentage": 0.0000001}})
    connection, transport = connect(broker.listener())
    connection.data_received(produce(100, acks=0))
    assert not transport.is_reading_paused, "it pays for its bytes, not for its time"
    connection.data_received(produce(2_000, acks=0))
    assert transport.writes == []
    assert transport.is_reading_paused


def test_a_write_that_waits_for_its_commit_is_charged_as_it_comes(handler: Handler) -> None:
    broker = broker_with({CLIENT: {"producer_byte_rate": 100.0}})
    broker.logs = Logs(recorded_logs(level=20)[0].access, broker.logs.error)
    handler.outcome = deferred = Later()
    connection, transport = connect(broker.listener())
    connection.data_received(produce(2_000, acks=-1))
    assert transport.is_reading_paused
    deferred.resolve(ProduceResponse())
    broker.loop.turn()
    assert throttles(transport)[0] > 0, "the answer is not held up"


def test_time_is_a_quota_for_any_request(handler: Handler) -> None:
    broker = broker_with({CLIENT: {"request_percentage": 0.0000001}})
    connection, transport = connect(broker.listener())
    connection.data_received(request_frame(HeartbeatRequest(), 4))
    [(_, answer)] = responses(transport, HEARTBEAT, 4)
    assert answer.throttle_time_ms == 1_000, "a window at most"
    assert transport.is_reading_paused


def test_a_connection_that_is_lost_is_muted_no_more(handler: Handler) -> None:
    broker = broker_with({CLIENT: {"producer_byte_rate": 1.0}})
    connection, _ = connect(broker.listener())
    connection.data_received(produce())
    connection.connection_lost(None)
    assert broker.quotas.muted_count == 0
    assert broker.loop.timers[-1].is_cancelled


def context(broker: FakeBroker, version: int) -> RequestContext:
    made = broker.new_context("PLAINTEXT", "10.0.0.9")
    made.client_id, made.version = "client", version
    return made


def permits(broker: FakeBroker, version: int) -> MutationPermits:
    found = broker.quotas.mutations(context(broker, version), strict_version=6)
    assert found is not None
    return found


def test_strict_permits_may_be_overdrawn_once() -> None:
    broker = broker_with({CLIENT: {"controller_mutation_rate": 2.0}})
    permits(broker, 6).record(30)
    refused = permits(broker, 6)
    with pytest.raises(KafkaError) as raised:
        refused.record(1)
    assert raised.value.code is ErrorCode.THROTTLING_QUOTA_EXCEEDED
    broker.clock.at_ms += 1_000
    assert refused.with_throttle_time(CreateTopicsResponse()).throttle_time_ms == 3_000, "less what the request waited"
    broker.clock.at_ms += 3_000
    permits(broker, 6).record(1)


def test_permissive_permits_slow_down() -> None:
    broker = broker_with({CLIENT: {"controller_mutation_rate": 2.0}})
    first = permits(broker, 5)
    first.record(22)
    assert first.with_throttle_time(CreateTopicsResponse()).throttle_time_ms == 0
    second = permits(broker, 5)
    second.record(4)
    assert second.with_throttle_time(CreateTopicsResponse()).throttle_time_ms == 2_000
    assert broker.quotas.mutations(context(FakeBroker(), 5), 6) is not None
    assert FakeBroker().quotas.mutations(context(FakeBroker(), 5), 6) is None


def test_a_fetch_above_its_limit_costs_nothing() -> None:
    broker = broker_with({CLIENT: {"consumer_byte_rate": 100.0}})
    ctx = context(broker, 12)
    assert broker.quotas.fetch_size_bytes_max(ctx) == 1_000
    assert broker.quotas.charge_fetch(ctx, 1_000, 0) == 0
    assert broker.quotas.charge_fetch(ctx, 500, 0) == 5_000
    assert broker.quotas.charge_fetch(ctx, 500, 0) == 5_000, "the last one was taken back"
    broker.clock.at_ms += 11_000
    assert broker.quotas.charge_fetch(ctx, 1_000, 0) == 0
