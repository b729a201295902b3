"""A connection: one request in flight, answers in order and together, bounds on what a peer may make us hold."""

from __future__ import annotations

import struct
from functools import partial
from typing import Any

import pytest

from riacho.broker.handlers.table import BY_KEY
from riacho.broker.requests.api import CLOSE_CONNECTION, NO_RESPONSE
from riacho.broker.requests.later import Later
from riacho.broker.requests.memory_pool import CHUNK_SIZE_BYTES
from riacho.broker.serving.connection import Connection
from riacho.wire.messages.heartbeat_request import HeartbeatRequest
from riacho.wire.messages.heartbeat_response import HeartbeatResponse
from support.broker_fakes import FakeBroker, FakeTransport, api, connect, request_frame, responses

HEARTBEAT = 12
VERSION = 4


class Handler:
    """Answers heartbeats with their generation, unless told otherwise."""

    def __init__(self) -> None:
        self.seen: list[int] = []
        self.outcomes: dict[int, Any] = {}

    def __call__(self, ctx: Any, request: HeartbeatRequest) -> Any:
        self.seen.append(request.generation_id)
        return self.outcomes.get(request.generation_id, answer(request.generation_id))


def answer(number: int) -> HeartbeatResponse:
    return HeartbeatResponse(throttle_time_ms=number)


def frame(number: int) -> bytes:
    return request_frame(HeartbeatRequest(generation_id=number), VERSION, correlation_id=100 + number)


def answered(transport: FakeTransport) -> list[tuple[int, int]]:
    """(correlation id, number) of the answers."""
    return [(found, message.throttle_time_ms) for found, message in responses(transport, HEARTBEAT, VERSION)]


@pytest.fixture
def handler(monkeypatch: pytest.MonkeyPatch) -> Handler:
    made = Handler()
    monkeypatch.setitem(BY_KEY, HEARTBEAT, api(HEARTBEAT, made))
    return made


def test_a_request_is_answered_under_its_correlation_id(handler: Handler) -> None:
    connection, transport = connect(FakeBroker().listener())
    connection.data_received(frame(1))
    assert answered(transport) == [(101, 1)]


def test_a_request_may_come_in_pieces(handler: Handler) -> None:
    broker = FakeBroker()
    connection, transport = connect(broker.listener())
    data = frame(1)
    for byte in data[:-1]:
        connection.data_received(bytes([byte]))
    assert handler.seen == []
    assert 0 < broker.memory.held_bytes <= len(data)
    connection.data_received(data[-1:])
    assert answered(transport) == [(101, 1)]
    assert broker.memory.held_bytes == 0


def test_answers_to_requests_that_came_together_leave_together(handler: Handler) -> None:
    connection, transport = connect(FakeBroker().listener())
    connection.data_received(b"".join(frame(number) for number in range(5)))
    assert answered(transport) == [(100 + number, number) for number in range(5)]
    assert len(transport.writes) == 1


def test_all_who_keep_something_for_a_client_hear_that_it_is_gone() -> None:
    connection, _ = connect(FakeBroker().listener())
    told: list[str] = []
    for keeper in ("sessions", "others", "sessions"):
        connection.on_lost[keeper] = partial(told.append, keeper)
    connection.connection_lost(None)
    connection.connection_lost(None)
    assert told == ["sessions", "others"]


def test_a_waiting_request_holds_the_next_ones_back(handler: Handler) -> None:
    connection, transport = connect(FakeBroker().listener())
    handler.outcomes[1] = waiting = Later()
    connection.data_received(frame(0) + frame(1) + frame(2) + frame(3))
    assert handler.seen == [0, 1]
    assert answered(transport) == [(100, 0)]
    assert transport.is_reading_paused
    waiting.resolve(answer(1))
    assert handler.seen == [0, 1, 2, 3]
    assert answered(transport) == [(100, 0), (101, 1), (102, 2), (103, 3)]
    assert not transport.is_reading_paused


def test_a_peer_that_goes_on_sending_while_its_request_waits_is_not_read(handler: Handler) -> None:
    connection, transport = connect(FakeBroker().listener())
    handler.outcomes[0] = waiting = Later()
    connection.data_received(frame(0))
    assert not transport.is_reading_paused, "a close of the peer must still be noticed"
    connection.data_received(frame(1) + frame(2))
    assert transport.is_reading_paused
    waiting.resolve(answer(0))
    assert answered(transport) == [(100, 0), (101, 1), (102, 2)]
    assert not transport.is_reading_paused


def test_a_peer_that_does_not_read_is_not_served(handler: Handler) -> None:
    connection, transport = connect(FakeBroker().listener())
    connection.pause_writing()
    connection.data_received(frame(0) + frame(1))
    assert handler.seen == []
    assert transport.is_reading_paused
    connection.resume_writing()
    assert answered(transport) == [(100, 0), (101, 1)]
    assert not transport.is_reading_paused


def test_no_response_means_none_and_the_next_request_is_served(handler: Handler) -> None:
    connection, transport = connect(FakeBroker().listener())
    handler.outcomes[0] = NO_RESPONSE
    connection.data_received(frame(0) + frame(1))
    assert answered(transport) == [(101, 1)]


def test_hanging_up_sends_what_was_answered_and_serves_no_more(handler: Handler) -> None:
    connection, transport = connect(FakeBroker().listener())
    handler.outcomes[1] = CLOSE_CONNECTION
    connection.data_received(frame(0) + frame(1) + frame(2))
    assert answered(transport) == [(100, 0)]
    assert transport.is_closing()
    assert handler.seen == [0, 1]


def test_a_lost_connection_abandons_what_waits(handler: Handler) -> None:
    broker = FakeBroker()
    connection, transport = connect(broker.listener())
    abandoned: list[bool] = []
    handler.outcomes[0] = waiting = Later(on_abandon=lambda: abandoned.append(True))
    connection.data_received(frame(0) + frame(1) + frame(2)[:-1])
    connection.connection_lost(None)
    assert abandoned == [True]
    assert broker.connection_quotas.connection_count() == 0
    assert broker.memory.held_bytes == 0
    waiting.resolve(answer(0))
    assert transport.writes == []
    assert handler.seen == [0]


def test_an_impossible_size_ends_the_connection(handler: Handler) -> None:
    broker = FakeBroker(frame_size_bytes_max=1_000)
    connection, transport = connect(broker.listener())
    connection.data_received(struct.pack(">i", 1_001))
    assert transport.is_closing()
    assert broker.metrics.refused_connections == 1
    [line] = broker.error_lines
    assert "connection refused host=10.0.0.9 listener=PLAINTEXT" in line


def test_half_requests_are_bounded_over_all_connections(handler: Handler) -> None:
    broker = FakeBroker(held_size_bytes_max=100)
    listener = broker.listener()
    half = struct.pack(">i", 1_000) + b"x" * 60
    first, transport = connect(listener)
    first.data_received(half)
    assert not transport.is_closing()
    second, transport = connect(listener)
    second.data_received(half)
    assert transport.is_closing(), "the one who asks for too much goes"
    second.connection_lost(None)
    first.connection_lost(None)
    assert broker.memory.held_bytes == 0


def read(connection: Connection, data: bytes, size_max: int = 1 << 30) -> list[int]:
    """As a loop reads; the sizes of the buffers that it was given."""
    sizes = []
    while data:
        buffer = connection.get_buffer(65_536)
        size = min(len(buffer), len(data), size_max)
        buffer[:size] = data[:size]
        # A loop holds its buffer until the connection has seen it.
        with memoryview(buffer):
            connection.buffer_updated(size)
        data = data[size:]
        sizes.append(len(buffer))
    return sizes


def large_frame(number: int, size: int) -> bytes:
    request = HeartbeatRequest(generation_id=number, member_id="m" * 30_000, group_id="g" * (size - 30_000))
    return request_frame(request, VERSION, correlation_id=100 + number)


def test_what_a_loop_reads_is_served_from_one_chunk_for_all(handler: Handler) -> None:
    broker = FakeBroker()
    listener = broker.listener()
    (first, transport), (second, _) = connect(listener), connect(listener)
    assert read(first, frame(0) + frame(1) + frame(2)[:5]) == [CHUNK_SIZE_BYTES]
    assert read(second, frame(7)) == [CHUNK_SIZE_BYTES]
    read(first, frame(2)[5:])
    assert answered(transport) == [(100, 0), (101, 1), (102, 2)]
    assert handler.seen == [0, 1, 7, 2]


@pytest.mark.parametrize("size_max", [1 << 30, 20_000])
def test_the_rest_of_a_large_frame_is_read_to_where_it_stays(handler: Handler, size_max: int) -> None:
    broker = FakeBroker()
    connection, transport = connect(broker.listener())
    large = large_frame(1, 60_000)
    assert read(connection, large[:20_004]) == [CHUNK_SIZE_BYTES]
    rest = len(large) - 20_004
    assert read(connection, large[20_004:] + frame(2) + frame(3), size_max)[0] == rest
    assert answered(transport) == [(101, 1), (102, 2), (103, 3)]
    assert broker.memory.held_bytes == 0


def test_room_for_a_large_frame_is_held_and_never_more_than_may_be(handler: Handler) -> None:
    broker = FakeBroker(held_size_bytes_max=150_000)
    listener = broker.listener()
    (first, _), (second, transport) = connect(listener), connect(listener)
    head = struct.pack(">i", 100_000) + bytes(10_000)
    read(first, head)
    assert len(first.get_buffer(0)) == 90_000
    assert broker.memory.held_bytes == 4 + 100_000
    read(second, head)
    assert len(second.get_buffer(0)) == 150_000 - 4 - 100_000 - 4 - 10_000
    assert broker.memory.held_bytes == 150_000
    assert read(second, bytes(39_992 + 1)) == [39_992, CHUNK_SIZE_BYTES]
    assert transport.is_closing(), "the one who asks for too much goes"
    first.connection_lost(None)
    second.connection_lost(None)
    assert broker.memory.held_bytes == 0


def test_a_connection_that_is_closed_reads_into_nothing(handler: Handler) -> None:
    connection, _ = connect(FakeBroker().listener())
    read(connection, large_frame(1, 60_000)[:20_004])
    buffer = connection.get_buffer(0)
    connection.close()
    connection.buffer_updated(len(buffer))
    read(connection, frame(2))
    assert handler.seen == []


def test_each_request_is_counted_and_told(handler: Handler) -> None:
    broker = FakeBroker()
    connection, transport = connect(broker.listener())
    connection.data_received(frame(0) + frame(1))
    assert broker.metrics.request_count(HEARTBEAT) == 2
    request_size = len(frame(0)) - 4
    response_size = len(transport.writes[0]) // 2
    expected = f"api=Heartbeat version=4 request_bytes={request_size} response_bytes={response_size} elapsed_us="
    assert len(broker.access_lines) == 2
    assert expected in broker.access_lines[0]
    assert "10.0.0.9 User:ANONYMOUS client " in broker.access_lines[0]


class Piece:
    """Records that are not in memory."""

    def __init__(self, data: bytes) -> None:
        self.size = len(data)
        self._data = data

    def read(self) -> bytes:
        return self._data


def test_small_record_slices_are_copied_into_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    from riacho.wire.messages.fetch_request import FetchRequest
    from riacho.wire.messages.fetch_response import FetchableTopicResponse, FetchResponse, PartitionData

    def handle(ctx: Any, request: FetchRequest) -> FetchResponse:
        pieces = [PartitionData(partition_index=at, records=Piece(b"records %d" % at)) for at in range(3)]
        return FetchResponse(responses=[FetchableTopicResponse(topic="t", partitions=pieces)])

    monkeypatch.setitem(BY_KEY, 1, api(1, handle))
    connection, transport = connect(FakeBroker().listener())
    connection.data_received(request_frame(FetchRequest(), 12))
    [(_, message)] = responses(transport, 1, 12)
    assert [bytes(part.records) for part in message.responses[0].partitions] == [
        b"records 0",
        b"records 1",
        b"records 2",
    ]


def test_answers_that_nobody_reads_count_as_held_and_are_bounded(handler: Handler) -> None:
    broker = FakeBroker(held_size_bytes_max=1_000)
    listener = broker.listener()
    first, first_transport = connect(listener)
    second, second_transport = connect(listener)
    for connection, transport, size_bytes in ((first, first_transport, 700), (second, second_transport, 400)):
        transport.unsent_size_bytes = size_bytes
        connection.pause_writing()
    assert broker.memory.held_bytes == 1_100
    broker.loop.turn()
    assert second_transport.is_aborted
    assert not first_transport.is_aborted
    second.connection_lost(None)
    assert broker.memory.held_bytes == 700
    first.resume_writing()
    assert broker.memory.held_bytes == 0
