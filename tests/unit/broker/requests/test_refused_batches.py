"""Several batches of an idempotent producer on their way while a broker's office changes: none is called out of order
that only came before its turn, since librdkafka would write stored batches again under a new epoch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.logs import Logs
from riacho.broker.requests.refused_batches import RefusedBatches
from riacho.broker.serving.connection import Connection
from riacho.wire.batch import read_header
from riacho.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from riacho.wire.messages.produce_response import PartitionProduceResponse
from support.broker_fakes import FakeBroker, FakeTransport, connect, recorded_logs, request_frame, responses
from support.hosted_replicas import hosted_of, publish_topic
from support.led_partition import NODE, fetch, host, state
from support.log_files import TOPIC_ID, make_batch
from support.produce_parts import serve_produce

PRODUCE, VERSION = 0, 12
NOT_LEADER, OUT_OF_ORDER = "NOT_LEADER_OR_FOLLOWER", "OUT_OF_ORDER_SEQUENCE_NUMBER"
NOW_MS = 1_000_000


class World:
    """Broker 1 with a partition that it follows, until a test lets it lead."""

    def __init__(self, path: Path) -> None:
        self.broker = FakeBroker()
        # An access log at this level is off, and requests are pipelined.
        self.broker.logs = Logs(recorded_logs(level=20)[0].access, self.broker.logs.error)
        serve_produce(self.broker)
        role = state(leader=2)
        self.hosted, _ = host(path, role, self.broker.clock, min_isr=2)
        hosted_of(self.broker.replicas, "t", TOPIC_ID)[0] = self.hosted
        publish_topic(self.broker.metadata, "t", TOPIC_ID, role)
        self.epoch = 5
        self.connection, self.transport = connect(self.broker.listener())

    # What a test does

    def lead(self, *isr: int, leader: int = NODE) -> None:
        self.epoch += 1
        role = state(isr or (1, 2), leader=leader, epoch=self.epoch, change=self.epoch)
        publish_topic(self.broker.metadata, "t", TOPIC_ID, role)
        self.hosted.take_role(NODE, role)
        self.broker.loop.turn()

    def replicate(self) -> None:
        fetch(self.hosted, 2, self.hosted.log.log_end_offset)
        self.broker.loop.turn()

    def send(self, *sequences: int, connection: Connection | None = None, **fields: int) -> None:
        for sequence in sequences:
            producer = {"producer_id": 4, "producer_epoch": 0, "base_sequence": sequence} | fields
            records = bytes(make_batch([b"%d" % sequence], timestamp=NOW_MS, **producer))
            data = PartitionProduceData(index=0, records=records)
            topic = TopicProduceData(name="t", partition_data=[data])
            request = ProduceRequest(acks=-1, timeout_ms=1_500, topic_data=[topic])
            (connection or self.connection).data_received(request_frame(request, VERSION, sequence))

    def answers(self, transport: FakeTransport | None = None) -> list[PartitionProduceResponse]:
        """Since it was last asked."""
        sent = transport or self.transport
        found = [message for _, message in responses(sent, PRODUCE, VERSION)]
        sent.writes.clear()
        return [message.responses[0].partition_responses[0] for message in found]

    def codes(self, transport: FakeTransport | None = None) -> list[str]:
        return [ErrorCode(each.error_code).name if each.error_code else "" for each in self.answers(transport)]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.hosted.log.close(clean=False)


def written(world: World, *sequences: int) -> None:
    """The partition has these of the producer, and its office is with broker 2."""
    world.lead()
    world.send(*sequences)
    world.replicate()
    assert world.codes() == [""] * len(sequences)
    world.lead(leader=2)


def test_what_follows_a_refused_batch_is_refused_like_it(world: World) -> None:
    written(world, 0)
    world.send(1)
    world.lead()
    world.send(2, 3)
    assert world.codes() == [NOT_LEADER] * 3
    assert world.hosted.log.log_end_offset == 1
    world.send(1, 2, 3)
    world.replicate()
    assert world.codes() == [""] * 3


def test_the_answer_names_this_broker_as_the_leader(world: World) -> None:
    written(world, 0)
    world.send(1)
    world.lead()
    world.answers()
    world.send(2)
    [answer] = world.answers()
    assert (answer.current_leader.leader_id, answer.current_leader.leader_epoch) == (NODE, world.epoch)


def test_a_stored_batch_before_the_gap_is_known_when_it_comes_again(world: World) -> None:
    """The last leader stored 1, said that it leads no more, and refused 2 and 3. The client sends all three again."""
    written(world, 0, 1)
    world.send(1, 2)
    world.lead()
    world.send(3)
    assert world.codes() == [NOT_LEADER] * 3
    world.send(1, 2, 3)
    world.replicate()
    assert [(each.error_code, each.base_offset) for each in world.answers()] == [(0, 1), (0, 2), (0, 3)]


def test_stored_batches_are_answered_although_those_before_were_refused(world: World) -> None:
    written(world, 0, 1, 2)
    world.send(1)
    world.lead()
    world.send(2, 3)
    world.replicate()
    assert [(each.error_code, each.base_offset) for each in world.answers()[1:]] == [(0, 2), (0, 3)]


def test_too_few_replicas_for_the_first_are_too_few_for_the_next(world: World) -> None:
    written(world, 0)
    world.lead(1)
    world.send(1)
    world.lead(1, 2)
    world.send(2)
    assert world.codes() == ["NOT_ENOUGH_REPLICAS"] * 2
    world.send(1, 2)
    world.replicate()
    assert world.codes() == ["", ""]


def test_an_unknown_producer_does_not_begin_with_its_second_batch(world: World) -> None:
    """It would be taken, and the client would take its success for that of the first."""
    world.send(0)
    world.lead()
    world.send(1, 2)
    assert world.codes() == [NOT_LEADER] * 3
    assert world.hosted.log.log_end_offset == 0
    world.send(0, 1, 2)
    world.replicate()
    assert world.codes() == ["", "", ""]


def test_a_new_epoch_does_not_begin_with_its_second_batch(world: World) -> None:
    written(world, 0)
    world.send(0, producer_epoch=1)
    world.lead()
    world.send(1, producer_epoch=1)
    assert world.codes() == [NOT_LEADER] * 2


def test_sequences_that_wrap_around_follow_each_other(world: World) -> None:
    world.send(0x7FFFFFFE)
    world.lead()
    world.send(0x7FFFFFFE)
    world.answers()
    world.lead(leader=2)
    world.send(0x7FFFFFFF)
    world.lead()
    world.send(0, 0)
    assert world.codes()[-3:] == [NOT_LEADER] * 3
    world.send(0x7FFFFFFF, 0)
    world.replicate()
    assert world.codes() == ["", ""]


def test_a_gap_is_told_when_it_is_there_again(world: World) -> None:
    """The old leader may have refused the first of two that come to the new one in the wrong order."""
    written(world, 0)
    world.lead()
    world.send(2, 3)
    assert world.codes() == [NOT_LEADER] * 2
    world.send(2)
    assert world.codes() == [OUT_OF_ORDER]
    world.send(1, 2, 3)
    world.replicate()
    assert world.codes() == ["", "", ""]


def test_without_other_replicas_a_gap_is_told_at_once(world: World) -> None:
    world.hosted.take_role(NODE, state((1,), epoch=9, replicas=(1,)))
    world.send(0, 2)
    assert world.codes() == ["", OUT_OF_ORDER]
    world.send(7, producer_id=5)
    assert world.codes() == [""], "a producer that is not known goes on anywhere"


def test_a_producer_that_is_not_known_goes_on_when_it_insists(world: World) -> None:
    world.lead()
    world.send(7)
    assert world.codes() == [NOT_LEADER]
    world.send(7)
    world.replicate()
    assert world.codes() == [""]


def test_a_final_refusal_leaves_a_gap_that_is_told(world: World) -> None:
    written(world, 0)
    world.lead()
    world.hosted.rules = type(world.hosted.rules)(message_size_bytes_max=10)
    world.send(1)
    world.hosted.rules = type(world.hosted.rules)()
    world.send(2)
    assert world.codes() == ["MESSAGE_TOO_LARGE", NOT_LEADER]
    world.send(2)
    assert world.codes() == [OUT_OF_ORDER]


def test_what_one_connection_was_refused_is_nothing_to_others(world: World) -> None:
    written(world, 0)
    world.send(1)
    world.lead()
    other, transport = connect(world.broker.listeners[0])
    world.send(2, 2, connection=other)
    assert world.codes(transport) == [NOT_LEADER, OUT_OF_ORDER]
    world.send(2, 2)
    assert world.codes() == [NOT_LEADER] * 3


def noted(refused: RefusedBatches, sequence: int, now_ms: int = NOW_MS) -> None:
    batch = make_batch([b"v"], producer_id=4, producer_epoch=0, base_sequence=sequence)
    refused.note("t", 0, batch, KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER), now_ms)


def is_before(refused: RefusedBatches, sequence: int, now_ms: int = NOW_MS) -> bool:
    header = read_header(make_batch([b"v"], producer_id=4, producer_epoch=0, base_sequence=sequence))
    return refused.why_wait("t", 0, header, now_ms, is_replicated=False) is not None


def test_a_refusal_is_forgotten_after_a_minute() -> None:
    refused = RefusedBatches()
    noted(refused, 1)
    assert is_before(refused, 2, NOW_MS + 59_999)
    assert not is_before(refused, 2, NOW_MS + 60_000)
    assert len(refused) == 0


def test_only_so_many_are_remembered() -> None:
    refused = RefusedBatches()
    for sequence in range(300):
        noted(refused, sequence)
    assert len(refused) == 256
    assert is_before(refused, 300)
    assert not is_before(refused, 1)


@pytest.mark.parametrize("records", [None, b"", bytes(60), bytes(200), bytes(make_batch([b"no producer"]))])
def test_what_is_no_batch_of_a_producer_is_not_remembered(records: bytes | None) -> None:
    refused = RefusedBatches()
    refused.note("t", 0, records, KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER), NOW_MS)
    assert len(refused) == 0
