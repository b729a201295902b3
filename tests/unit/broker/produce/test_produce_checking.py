"""Records that are not readable are never stored, whichever way a request goes; those that take long to check are
checked by a thread, while the loop serves others and the connection keeps its order."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from riacho.base.errors import ErrorCode
from riacho.broker.handlers.table import BY_KEY
from riacho.broker.logs import Logs
from riacho.broker.produce import produce_checking
from riacho.broker.requests.later import Later
from riacho.broker.serving.connection import Connection
from riacho.partition.record_checks import LOOP_BLOCKS_SIZE_BYTES_MAX, LOOP_UNPACKED_SIZE_BYTES_MAX
from riacho.partition.validation import validate_produced
from riacho.security.standard_authorizer import StandardAuthorizer
from riacho.wire.compression import Codec, compress
from riacho.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from riacho.wire.records import Record, build_batch
from support.broker_fakes import FakeBroker, FakeTransport, connect, recorded_logs, request_frame, responses
from support.hosted_replicas import hosted_of
from support.led_partition import host, state
from support.log_files import TOPIC_ID
from support.produce_parts import open_fast_path, serve_produce
from support.unreadable_batches import MALFORMED, crafted

PRODUCE, VERSION = 0, 12
NOW_MS = 1_000_000
SMALL = bytes(build_batch([Record(0, 0, None, b"small")], base_timestamp=NOW_MS))
LARGE = bytes(
    build_batch([Record(0, 0, None, bytes(LOOP_UNPACKED_SIZE_BYTES_MAX))], base_timestamp=NOW_MS, codec=Codec.ZSTD)
)
BOMB = crafted(compress(Codec.ZSTD, bytes(100 << 20)), 3, Codec.ZSTD)


class World:
    """Two connections to a broker that leads a partition alone; after their first request they take the fast path."""

    def __init__(self, path: Path, way: str) -> None:
        assert BY_KEY[PRODUCE].handle()
        self.broker = FakeBroker()
        self.broker.logs = Logs(recorded_logs(level=20)[0].access, self.broker.logs.error)
        self.hosted, _ = host(path, state((1,), replicas=(1,)), self.broker.clock)
        # Under several indexes, so that one request may have several batches of it.
        hosted_of(self.broker.replicas, "t", TOPIC_ID).update(dict.fromkeys(range(64), self.hosted))
        serve_produce(self.broker)
        listener = self.broker.listener()
        self.connection, self.transport = connect(listener)
        self.other, self.other_transport = connect(listener)
        if way == "fast path":
            for connection in (self.connection, self.other):
                self._open_fast_path(connection)

    def _open_fast_path(self, connection: Connection) -> None:
        request = self.request(SMALL)
        connection.context.version = VERSION
        open_fast_path(connection, request_frame(request, VERSION, 0)[4:], request, Later())

    def request(self, *batches: bytes) -> ProduceRequest:
        data = [PartitionProduceData(index=at, records=each) for at, each in enumerate(batches)]
        return ProduceRequest(acks=1, timeout_ms=1_500, topic_data=[TopicProduceData(name="t", partition_data=data)])

    def send(self, correlation_id: int, *batches: bytes, connection: Connection | None = None) -> None:
        frame = request_frame(self.request(*batches), VERSION, correlation_id)
        (connection or self.connection).data_received(frame)

    def work(self) -> int:
        """Let the threads do what they were given; how much that was."""
        given, self.broker.loop.threads = self.broker.loop.threads, []
        for work in given:
            work.do()
        return len(given)

    def answered(self, transport: FakeTransport | None = None) -> list[tuple[int, int, str]]:
        """(correlation id, base offset, error) of every answer so far."""
        return [
            (correlation_id, part.base_offset, ErrorCode(part.error_code).name if part.error_code else "")
            for correlation_id, message in responses(transport or self.transport, PRODUCE, VERSION)
            for part in message.responses[0].partition_responses
        ]


@pytest.fixture(params=["fast path", "usual"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path, request.param)
    yield made
    made.hosted.log.close(clean=False)


@pytest.mark.parametrize("made", MALFORMED.values(), ids=MALFORMED.keys())
def test_what_no_reader_could_read_is_not_stored(world: World, made: bytes) -> None:
    world.send(1, SMALL)
    world.send(2, made)
    assert world.answered() == [(1, 0, ""), (2, -1, "INVALID_RECORD")]
    assert world.hosted.log.log_end_offset == 1


def test_others_are_served_while_a_batch_is_unpacked(world: World) -> None:
    world.send(1, LARGE)
    assert world.answered() == []
    world.send(2, SMALL, connection=world.other)
    assert world.answered(world.other_transport) == [(2, 0, "")]
    assert world.work() == 1
    assert world.answered() == [(1, 1, "")]


def test_the_connection_s_later_requests_wait_for_it(world: World) -> None:
    world.send(1, SMALL)
    world.send(2, LARGE)
    world.send(3, SMALL)
    world.send(4, LARGE)
    assert world.answered() == [(1, 0, "")]
    assert world.work() == 1
    assert world.answered() == [(1, 0, ""), (2, 1, ""), (3, 2, "")]
    assert world.work() == 1
    assert world.answered()[3:] == [(4, 3, "")]


def test_a_bomb_is_refused_off_the_loop(world: World) -> None:
    world.send(1, BOMB)
    assert world.answered() == []
    assert world.work() == 1
    assert world.answered() == [(1, -1, "MESSAGE_TOO_LARGE")]
    assert world.hosted.log.log_end_offset == 0


def test_of_what_was_unpacked_nothing_stays(world: World) -> None:
    """Not until the collector comes, which is seldom: a bomb after the other would fill the memory."""
    garbage = crafted(compress(Codec.ZSTD, b"\x0e" + bytes(4 << 20)), 3, Codec.ZSTD)
    gc.collect()
    gc.disable()
    try:
        tracemalloc.start()
        for correlation_id in range(3):
            world.send(correlation_id, garbage)
            assert world.work() == 1
        assert [error for _, _, error in world.answered()] == ["INVALID_RECORD"] * 3
        assert tracemalloc.get_traced_memory()[0] < 1 << 20
    finally:
        tracemalloc.stop()
        gc.enable()


def test_of_a_producer_that_goes_meanwhile_nothing_is_stored(world: World) -> None:
    world.send(1, LARGE)
    world.connection.connection_lost(None)
    assert world.work() == 1
    assert world.hosted.log.log_end_offset == 0


def test_one_batch_of_several_takes_long(world: World) -> None:
    world.send(1, SMALL, LARGE, MALFORMED["plain text"], SMALL)
    assert world.hosted.log.log_end_offset == 0
    assert world.work() == 1
    assert world.answered() == [(1, 0, ""), (1, 1, ""), (1, -1, "INVALID_RECORD"), (1, 2, "")]


def test_many_that_are_light_take_long_together(world: World) -> None:
    packed = bytes(build_batch([Record(0, 0, None, b"v")], base_timestamp=NOW_MS, codec=Codec.LZ4))
    world.send(1, *[packed] * 40)
    assert world.work() == 1
    assert world.answered() == [(1, at, "") for at in range(40)]
    world.send(2, *[bytes(build_batch([Record(0, 0, None, bytes(300_000))], base_timestamp=NOW_MS))] * 8)
    assert world.work() == 1
    assert [error for _, _, error in world.answered()[40:]] == [""] * 8


def test_an_internal_topic_takes_nothing_that_takes_long(world: World) -> None:
    """Its coordinator would have to unpack it on its loop."""
    world.hosted.is_internal = True
    frame = request_frame(world.request(LARGE), VERSION, 1, "__admin_client")
    world.connection.data_received(frame)
    assert world.work() == 0
    assert world.answered() == [(1, -1, "MESSAGE_TOO_LARGE")]


def test_nothing_is_unpacked_for_those_who_may_not_write(world: World) -> None:
    nobody = StandardAuthorizer()
    nobody.load({})
    world.connection.context.authorizer = nobody
    world.broker.fast_path_epoch.bump()
    world.send(1, BOMB)
    assert world.work() == 0
    assert world.answered() == [(1, -1, "TOPIC_AUTHORIZATION_FAILED")]


def test_only_so_many_batches_of_a_request_are_begun_with_on_the_loop(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of those that turn out to take long."""
    begun: list[int] = []

    def counted(*given: Any, **options: Any) -> Any:
        begun.append(options.get("blocks_size_bytes_max", 0))
        return validate_produced(*given, **options)

    monkeypatch.setattr(produce_checking, "validate_produced", counted)
    world.send(1, *[LARGE] * 20)
    assert begun == [LOOP_BLOCKS_SIZE_BYTES_MAX] + [LOOP_UNPACKED_SIZE_BYTES_MAX] * 15
    assert world.work() == 1
    assert [base_offset for _, base_offset, _ in world.answered()] == list(range(20))
