"""Produce requests that wait for the high watermark: appended as they come, answered in order, bounded, timed."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from riacho.base.errors import ErrorCode
from riacho.broker.handlers.table import BY_KEY
from riacho.broker.logs import Logs
from riacho.broker.partitions.hosted_partition import HostedPartition
from riacho.broker.produce.produce_pipeline import PIPELINED_MAX
from riacho.broker.requests.later import Later
from riacho.broker.serving.connection import Connection
from riacho.metadata.image.topics import Partition
from riacho.wire.messages.heartbeat_request import HeartbeatRequest
from riacho.wire.messages.heartbeat_response import HeartbeatResponse
from riacho.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from support.broker_fakes import FakeBroker, api, connect, recorded_logs, request_frame, responses
from support.hosted_replicas import hosted_of, publish_topic
from support.led_partition import NODE, fetch, host, state
from support.log_files import TOPIC_ID, make_batch
from support.produce_parts import open_fast_path, serve_produce

PRODUCE, HEARTBEAT = 0, 12
VERSION = 12


class World:
    """A connection that takes the fast path after its first request, unless `usual`."""

    def __init__(self, path: Path, usual: bool, min_isr: int = 1, log_level: int = logging.INFO) -> None:
        self.broker = FakeBroker()
        access, error = recorded_logs(log_level)[0].access, self.broker.logs.error
        self.broker.logs = Logs(access, error)
        self.hosted, self.peers = host(path, state((1, 2)), self.broker.clock, min_isr=min_isr)
        self.second, _ = host(path, state((1, 2)), self.broker.clock, index=1)
        hosted_of(self.broker.replicas, "t", TOPIC_ID).update({0: self.hosted, 1: self.second})
        publish_topic(self.broker.metadata, "t", TOPIC_ID, state((1, 2)), state((1, 2)))
        serve_produce(self.broker)
        self.usual = usual
        self.connection, self.transport = connect(self.broker.listener())
        if not usual:
            for index in (0, 1):
                self._open_fast_path(self.connection, index)

    def take_role(self, role: Partition) -> None:
        publish_topic(self.broker.metadata, "t", TOPIC_ID, role, state((1, 2)))
        self.hosted.take_role(NODE, role)

    def _open_fast_path(self, connection: Connection, index: int) -> None:
        request = self.request(index)
        frame = bytearray(self.frame(0, request)[4:])
        connection.context.version = VERSION
        open_fast_path(connection, frame, request, Later())

    def request(self, index: int = 0, acks: int = -1, **fields: int) -> ProduceRequest:
        records = bytes(make_batch([b"value"], timestamp=self.broker.clock.now_ms(), **fields))
        data = PartitionProduceData(index=index, records=records)
        return ProduceRequest(
            acks=acks, timeout_ms=1_500, topic_data=[TopicProduceData(name="t", partition_data=[data])]
        )

    def frame(self, correlation_id: int, request: ProduceRequest) -> bytes:
        return request_frame(request, VERSION, correlation_id)

    def send(self, *correlation_ids: int, index: int = 0, acks: int = -1, **fields: int) -> None:
        frames = [self.frame(each, self.request(index, acks, **fields)) for each in correlation_ids]
        self.connection.data_received(b"".join(frames))

    def turn(self) -> None:
        self.broker.loop.turn()

    def replicate(self, offset: int, hosted: HostedPartition | None = None) -> None:
        fetch(hosted or self.hosted, 2, offset)
        self.turn()

    def answered(self) -> list[tuple[int, int, str]]:
        """(correlation id, base offset, error) of every answer so far."""
        return [
            (correlation_id, part.base_offset, ErrorCode(part.error_code).name if part.error_code else "")
            for correlation_id, message in responses(self.transport, PRODUCE, VERSION)
            for topic in message.responses
            for part in topic.partition_responses
        ]


@pytest.fixture(params=["fast path", "usual"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path, request.param == "usual")
    yield made
    for hosted in (made.hosted, made.second):
        hosted.log.close(clean=False)


def test_an_answer_leaves_when_the_high_watermark_has_passed(world: World) -> None:
    world.send(1)
    assert world.hosted.log.log_end_offset == 1
    assert world.answered() == []
    assert not world.connection.is_idle
    world.replicate(1)
    assert world.answered() == [(1, 0, "")]
    assert world.connection.is_idle


def test_several_are_written_at_once_and_answered_together(world: World) -> None:
    world.send(1, 2, 3)
    world.send(4)
    assert world.hosted.log.log_end_offset == 4
    world.replicate(3)
    assert world.answered() == [(1, 0, ""), (2, 1, ""), (3, 2, "")]
    assert len(world.transport.writes) == 1
    world.replicate(4)
    assert world.answered()[3:] == [(4, 3, "")]


def test_answers_keep_the_order_of_the_requests(world: World) -> None:
    world.send(1)
    world.send(2, index=1)
    world.replicate(1, world.second)
    assert world.answered() == [], "the first is not committed"
    world.replicate(1)
    assert world.answered() == [(1, 0, ""), (2, 0, "")]


def test_what_needs_no_commit_keeps_its_place(world: World) -> None:
    world.send(1)
    world.send(2, acks=1)
    assert world.answered() == []
    world.replicate(1)
    assert world.answered() == [(1, 0, ""), (2, 1, "")]


def test_acks_one_does_not_wait(world: World) -> None:
    world.send(1, 2, acks=1)
    assert world.answered() == [(1, 0, ""), (2, 1, "")]
    assert world.hosted.log.high_watermark == 0


def test_acks_zero_is_never_answered_and_holds_nobody_up(world: World) -> None:
    world.send(1)
    world.send(2, acks=0)
    world.send(3)
    world.replicate(3)
    assert world.answered() == [(1, 0, ""), (3, 2, "")]


def test_other_requests_wait_for_their_turn(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def heartbeat(ctx: Any, request: HeartbeatRequest) -> HeartbeatResponse:
        seen.append(request.generation_id)
        return HeartbeatResponse()

    monkeypatch.setitem(BY_KEY, HEARTBEAT, api(HEARTBEAT, heartbeat))
    world.send(1)
    world.connection.data_received(request_frame(HeartbeatRequest(generation_id=5), 4, 2))
    world.send(3)
    assert seen == []
    assert world.hosted.log.log_end_offset == 1, "what comes after it waits too"
    assert world.transport.is_reading_paused
    world.replicate(1)
    assert seen == [5]
    assert world.hosted.log.log_end_offset == 2
    assert not world.transport.is_reading_paused


def test_only_so_many_may_wait(world: World) -> None:
    world.send(*range(PIPELINED_MAX + 3))
    assert world.hosted.log.log_end_offset == PIPELINED_MAX
    assert world.transport.is_reading_paused
    world.replicate(2)
    assert world.hosted.log.log_end_offset == PIPELINED_MAX + 2
    world.replicate(PIPELINED_MAX)
    assert world.hosted.log.log_end_offset == PIPELINED_MAX + 3
    world.replicate(PIPELINED_MAX + 3)
    assert [correlation_id for correlation_id, *_ in world.answered()] == list(range(PIPELINED_MAX + 3))
    assert not world.transport.is_reading_paused


def test_a_lost_leadership_answers_each_and_says_who_leads(world: World) -> None:
    world.send(1, 2)
    world.take_role(state((2,), leader=2, epoch=6))
    world.turn()
    assert world.answered() == [(1, -1, "NOT_LEADER_OR_FOLLOWER"), (2, -1, "NOT_LEADER_OR_FOLLOWER")]
    [_, (_, message)] = responses(world.transport, PRODUCE, VERSION)
    answer = message.responses[0].partition_responses[0]
    assert message.responses[0].name == "t"
    assert (answer.current_leader.leader_id, answer.current_leader.leader_epoch) == (2, 6)
    assert [(each.node_id, each.host) for each in message.node_endpoints] == [(2, "host-2")]


def test_too_few_replicas_are_told_before_and_after_the_append(tmp_path: Path) -> None:
    for usual in (True, False):
        world = World(tmp_path / str(usual), usual, min_isr=2)
        world.send(1)
        world.take_role(state((1,), change=1))
        world.turn()
        world.send(2)
        assert world.answered() == [(1, -1, "NOT_ENOUGH_REPLICAS_AFTER_APPEND"), (2, -1, "NOT_ENOUGH_REPLICAS")]
        assert world.hosted.log.log_end_offset == 1, "what is refused is not written"
        world.send(3, acks=1)
        assert world.answered()[2:] == [(3, 1, "")]


def test_time_runs_out_for_each_at_its_own(world: World) -> None:
    world.send(1)
    world.broker.clock.at_ms += 1_000
    world.send(2)
    world.broker.clock.at_ms += 500
    due = [timer for timer in world.broker.loop.timers if not timer.is_cancelled]
    due[0].fire()
    world.turn()
    assert world.answered() == [(1, -1, "REQUEST_TIMED_OUT")]
    world.broker.clock.at_ms += 1_000
    due = [timer for timer in world.broker.loop.timers if not timer.is_cancelled and timer is not due[0]]
    due[0].fire()
    world.turn()
    assert world.answered() == [(1, -1, "REQUEST_TIMED_OUT"), (2, -1, "REQUEST_TIMED_OUT")]
    world.replicate(2)
    assert len(world.answered()) == 2


def test_a_retry_waits_for_the_commit_of_the_first_try(world: World) -> None:
    producer = {"producer_id": 4, "producer_epoch": 0, "base_sequence": 0}
    world.send(1, **producer)
    again, transport = connect(world.broker.listeners[0])
    if not world.usual:
        world._open_fast_path(again, 0)
    again.data_received(world.frame(2, world.request(**producer)))
    assert world.hosted.log.log_end_offset == 1
    assert transport.writes == []
    world.replicate(1)
    assert [
        (correlation_id, message.responses[0].partition_responses[0].base_offset)
        for correlation_id, message in responses(transport, PRODUCE, VERSION)
    ] == [(2, 0)]


def test_a_producer_that_goes_leaves_nothing_behind(world: World) -> None:
    world.send(1, 2, 3)
    world.connection.connection_lost(None)
    assert not world.hosted._commits
    world.replicate(3)
    assert world.transport.writes == []
    assert world.hosted.log.high_watermark == 3, "the records stay"
    assert all(timer.is_cancelled for timer in world.broker.loop.timers)


def test_alone_in_the_isr_the_answer_is_at_once(world: World) -> None:
    world.take_role(state((1,), change=1))
    world.peers.fenced.update((2, 3))
    world.send(1, 2)
    assert world.answered() == [(1, 0, ""), (2, 1, "")]
    assert world.connection.is_idle


def test_a_request_for_several_partitions_waits_for_all(tmp_path: Path) -> None:
    world = World(tmp_path, usual=True)
    request = world.request()
    request.topic_data[0].partition_data.append(world.request(1).topic_data[0].partition_data[0])
    world.connection.data_received(world.frame(1, request))
    world.replicate(1)
    assert world.answered() == []
    world.replicate(1, world.second)
    assert world.answered() == [(1, 0, ""), (1, 0, "")]


def test_a_broker_that_logs_or_plays_faults_serves_one_at_a_time(tmp_path: Path) -> None:
    world = World(tmp_path, usual=True, log_level=logging.DEBUG)
    world.send(1, 2)
    assert world.hosted.log.log_end_offset == 1
    world.replicate(1)
    assert world.answered() == [(1, 0, "")]
    assert world.hosted.log.log_end_offset == 2


def test_the_fast_path_answers_what_the_usual_way_answers(tmp_path: Path) -> None:
    written: list[bytes] = []
    for usual in (True, False):
        world = World(tmp_path / str(usual), usual)
        world.send(7)
        world.replicate(1)
        world.send(8)
        world.take_role(state((2,), leader=2, epoch=6))
        world.turn()
        written.append(b"".join(world.transport.writes))
    assert written[0] == written[1]
