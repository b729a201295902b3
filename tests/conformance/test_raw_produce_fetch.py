"""Produce, Fetch and ListOffsets as raw conversations. The answers are Apache Kafka's, checked beside it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from conformance.confluent import create_topic
from conformance.raw import RawConnection, batch, wait_until_served
from conformance.running_broker import RunningBroker

NOTHING = b""


@dataclass
class Topic:
    """One topic of two partitions and a connection to talk about it."""

    connection: RawConnection
    name: str

    def produce(self, records: bytes | bytearray | None, partition: int = 0, acks: int = -1, version: int = 9) -> Any:
        data = {"name": self.name, "partition_data": [{"index": partition, "records": records}]}
        answer = self.connection.ask("Produce", version, acks=acks, timeout_ms=5_000, topic_data=[data])
        return answer.responses[0].partition_responses[0]

    def fetch_all(
        self,
        offsets: dict[int, int],
        *,
        max_wait_ms: int = 0,
        min_bytes: int = 0,
        max_bytes: int = 10_000_000,
        partition_max_bytes: int = 1_000_000,
        session_id: int = 0,
        session_epoch: int = -1,
        forget: tuple[int, ...] = (),
        epoch: int = -1,
    ) -> Any:
        partitions = [
            {
                "partition": partition,
                "fetch_offset": offset,
                "partition_max_bytes": partition_max_bytes,
                "current_leader_epoch": epoch,
            }
            for partition, offset in offsets.items()
        ]
        return self.connection.ask(
            "Fetch",
            11,
            replica_id=-1,
            max_wait_ms=max_wait_ms,
            min_bytes=min_bytes,
            max_bytes=max_bytes,
            session_id=session_id,
            session_epoch=session_epoch,
            topics=[{"topic": self.name, "partitions": partitions}] if partitions else [],
            forgotten_topics_data=[{"topic": self.name, "partitions": list(forget)}] if forget else [],
        )

    def fetch(self, offset: int, **options: Any) -> Any:
        return self.fetch_all({0: offset}, **options).responses[0].partitions[0]

    def offset(self, timestamp: int, version: int = 7) -> tuple[int, int, int]:
        partition = {"partition_index": 0, "timestamp": timestamp}
        topics = [{"name": self.name, "partitions": [partition]}]
        found = self.connection.ask("ListOffsets", version, replica_id=-1, topics=topics).topics[0].partitions[0]
        assert found.error_code == 0
        return found.offset, found.timestamp, found.leader_epoch


@pytest.fixture
def topic(broker: RunningBroker, name: str) -> Iterator[Topic]:
    create_topic(broker.bootstrap, name, partitions=2)
    with RawConnection(broker.address) as connection:
        wait_until_served(connection, name, partitions=2)
        yield Topic(connection, name)


def payload(part: Any) -> bytes:
    return bytes(part.records or NOTHING)


def test_the_broker_sets_offset_and_epoch_and_nothing_else(topic: Topic) -> None:
    sent = [batch(b"a", b"b"), batch(b"c")]
    assert [topic.produce(bytearray(each)).base_offset for each in sent] == [0, 2]
    found = payload(topic.fetch(0))
    first, second = found[: len(sent[0])], found[len(sent[0]) :]
    assert (first[:8], second[:8]) == (bytes(8), (2).to_bytes(8, "big"))
    assert first[12:16] == bytes(4), "the leader epoch"
    assert first[16:] == sent[0][16:]
    assert second[16:] == sent[1][16:]


def damaged(records: bytearray, position: int) -> bytearray:
    records[position] ^= 0x55
    return records


@pytest.mark.parametrize(
    ("records", "code"),
    [
        (damaged(batch(b"x" * 50), 70), 2),
        (batch(b"one") + batch(b"two"), 87),
        (batch(b"one", control=True), 87),
        (batch(b"one")[:-3], 87),
        (damaged(batch(b"one"), 16), 2),
        (bytearray(), 87),
    ],
    ids=["crc", "two-batches", "control", "cut", "magic", "empty"],
)
def test_bad_batches_are_refused(topic: Topic, records: bytearray, code: int) -> None:
    assert topic.produce(records).error_code == code
    assert topic.offset(-1)[0] == 0


def test_acks_must_be_known(topic: Topic) -> None:
    assert topic.produce(batch(b"x"), acks=2).error_code == 21


def test_unknown_partition(topic: Topic) -> None:
    assert topic.produce(batch(b"x"), partition=9).error_code == 3


def test_a_repeated_idempotent_batch_gets_its_first_offset(topic: Topic) -> None:
    started = topic.connection.ask("InitProducerId", 4, transactional_id=None, transaction_timeout_ms=1_000)
    assert started.error_code == 0

    def numbered(sequence: int, epoch: int = 0) -> bytearray:
        return batch(b"x", b"y", producer_id=started.producer_id, producer_epoch=epoch, base_sequence=sequence)

    assert [topic.produce(numbered(sequence)).base_offset for sequence in (0, 2, 4)] == [0, 2, 4]
    repeated = topic.produce(numbered(2))
    assert (repeated.error_code, repeated.base_offset) == (0, 2)
    assert topic.produce(numbered(8)).error_code == 45  # OUT_OF_ORDER_SEQUENCE_NUMBER
    assert topic.produce(numbered(6)).base_offset == 6
    assert topic.produce(numbered(4, epoch=1)).error_code == 45  # a new epoch starts at zero
    assert topic.produce(numbered(0, epoch=1)).base_offset == 8
    assert topic.produce(numbered(8, epoch=0)).error_code == 47  # INVALID_PRODUCER_EPOCH
    assert topic.offset(-1)[0] == 10


def test_producer_ids_are_never_given_twice(topic: Topic) -> None:
    asked = {"transactional_id": None, "transaction_timeout_ms": 1_000}
    ids = [topic.connection.ask("InitProducerId", 4, **asked).producer_id for _ in range(20)]
    assert len(set(ids)) == 20


def test_a_fetch_inside_a_batch_gets_all_of_it(topic: Topic) -> None:
    records = batch(*(b"%d" % number for number in range(10)))
    topic.produce(records)
    assert len(payload(topic.fetch(7))) == len(records)


def test_the_first_batch_is_whole_even_above_the_limits(topic: Topic) -> None:
    records = batch(b"v" * 5_000)
    topic.produce(bytearray(records))
    topic.produce(bytearray(records))
    found = payload(topic.fetch(0, max_bytes=10, partition_max_bytes=10))
    assert len(found) == len(records)


def test_the_limits_of_partition_and_answer(topic: Topic) -> None:
    records = batch(b"v" * 5_000)
    for _ in range(3):
        for partition in (0, 1):
            topic.produce(bytearray(records), partition)
    answer = topic.fetch_all({1: 0, 0: 0}, partition_max_bytes=2 * len(records) + 10)
    sizes = [(part.partition_index, len(payload(part))) for part in answer.responses[0].partitions]
    assert [partition for partition, _ in sizes] == [1, 0], "in the order of the request"
    for _, size in sizes:
        assert 2 * len(records) <= size <= 2 * len(records) + 10, "a cut batch at the end is allowed"
    answer = topic.fetch_all({1: 0, 0: 0}, max_bytes=100)
    sizes = [(part.partition_index, len(payload(part))) for part in answer.responses[0].partitions]
    assert sizes[0] == (1, len(records))
    assert sizes[1] == (0, 0), "nothing is left for the second partition"


def test_an_empty_fetch_waits_for_max_wait(topic: Topic) -> None:
    started = time.monotonic()
    found = topic.fetch(0, max_wait_ms=500, min_bytes=1)
    assert 0.45 <= time.monotonic() - started < 3
    assert (found.error_code, payload(found), found.high_watermark) == (0, NOTHING, 0)


def test_min_bytes_zero_does_not_wait(topic: Topic) -> None:
    started = time.monotonic()
    topic.fetch(0, max_wait_ms=10_000, min_bytes=0)
    assert time.monotonic() - started < 5


def test_a_produce_wakes_a_waiting_fetch(broker: RunningBroker, topic: Topic) -> None:
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(topic.fetch(0, max_wait_ms=12_000, min_bytes=150)))
    thread.start()
    started = time.monotonic()
    with RawConnection(broker.address) as other:
        writer = Topic(other, topic.name)
        writer.produce(batch(b"a" * 20))  # below min_bytes: the fetch goes on waiting
        writer.produce(batch(b"b" * 200))
        thread.join(10)
    assert time.monotonic() - started < 8
    assert len(payload(results[0])) > 150


def test_a_partition_error_is_answered_at_once(topic: Topic) -> None:
    started = time.monotonic()
    answer = topic.fetch_all({0: 0, 1: 99}, max_wait_ms=10_000, min_bytes=1)
    codes = {part.partition_index: part.error_code for part in answer.responses[0].partitions}
    assert codes == {0: 0, 1: 1}
    assert time.monotonic() - started < 5


def test_offsets_outside_of_the_log(topic: Topic) -> None:
    topic.produce(batch(b"a", b"b", b"c"))
    at_end = topic.fetch(3)
    assert (at_end.error_code, payload(at_end)) == (0, NOTHING)
    assert topic.fetch(4).error_code == 1
    assert topic.fetch(-5).error_code == 1
    deletion = {"name": topic.name, "partitions": [{"partition_index": 0, "offset": 2}]}
    topic.connection.ask("DeleteRecords", 2, topics=[deletion], timeout_ms=5_000)
    below = topic.fetch(1)
    assert (below.error_code, below.high_watermark, below.log_start_offset) == (1, -1, -1)
    assert topic.fetch(2).log_start_offset == 2


def test_leader_epochs_are_checked(topic: Topic) -> None:
    topic.produce(batch(b"a"))
    assert topic.fetch(0, epoch=0).error_code == 0
    assert topic.fetch(0, epoch=5).error_code == 75  # UNKNOWN_LEADER_EPOCH
    partition = {"partition_index": 0, "timestamp": -1, "current_leader_epoch": 5}
    asked = [{"name": topic.name, "partitions": [partition]}]
    found = topic.connection.ask("ListOffsets", 7, replica_id=-1, topics=asked).topics[0].partitions[0]
    assert found.error_code == 75


def test_a_session_tells_only_what_is_new(topic: Topic) -> None:
    topic.produce(batch(b"a"))
    full = topic.fetch_all({0: 0, 1: 0}, session_epoch=0)
    assert (full.error_code, len(full.responses[0].partitions)) == (0, 2)
    if full.session_id == 0:
        pytest.skip("this broker keeps no fetch sessions, which is allowed")
    quiet = topic.fetch_all({0: 1}, session_id=full.session_id, session_epoch=1)
    assert (quiet.error_code, quiet.session_id, quiet.responses) == (0, full.session_id, [])
    topic.produce(batch(b"b"), partition=1)
    news = topic.fetch_all({}, session_id=full.session_id, session_epoch=2)
    assert [part.partition_index for part in news.responses[0].partitions] == [1]
    dropped = topic.fetch_all({}, session_id=full.session_id, session_epoch=3, forget=(1,))
    assert dropped.responses == []
    wrong = topic.fetch_all({}, session_id=full.session_id, session_epoch=9)
    assert (wrong.error_code, wrong.responses) == (71, [])  # INVALID_FETCH_SESSION_EPOCH
    closed = topic.fetch_all({0: 0}, session_id=full.session_id, session_epoch=-1)
    assert (closed.error_code, closed.session_id) == (0, 0)
    gone = topic.fetch_all({}, session_id=full.session_id, session_epoch=4)
    assert (gone.error_code, gone.responses) == (70, [])  # FETCH_SESSION_ID_NOT_FOUND


def test_an_unknown_session(topic: Topic) -> None:
    answer = topic.fetch_all({0: 0}, session_id=123_456, session_epoch=1)
    assert (answer.error_code, answer.session_id, answer.responses) == (70, 0, [])


def test_list_offsets_answers_every_question(topic: Topic) -> None:
    assert topic.offset(-1) == (0, -1, 0)
    assert topic.offset(-2) == (0, -1, 0)
    assert topic.offset(-3) == (-1, -1, -1)
    assert topic.offset(500) == (-1, -1, -1)
    topic.produce(batch(b"a", b"b", base_timestamp=1_000))
    topic.produce(batch(b"c", base_timestamp=9_000))
    topic.produce(batch(b"d", base_timestamp=2_000))
    assert topic.offset(-1) == (4, -1, 0)
    assert topic.offset(-2) == (0, -1, 0)
    assert topic.offset(-3) == (2, 9_000, 0)
    assert topic.offset(0) == (0, 1_000, 0)
    assert topic.offset(1_001) == (1, 1_001, 0)
    assert topic.offset(1_002) == (2, 9_000, 0)
    assert topic.offset(9_001) == (-1, -1, -1)


def test_offset_for_leader_epoch(topic: Topic) -> None:
    topic.produce(batch(b"a", b"b"))

    def end(epoch: int) -> tuple[int, int, int]:
        partition = {"partition": 0, "current_leader_epoch": -1, "leader_epoch": epoch}
        asked = [{"topic": topic.name, "partitions": [partition]}]
        found = topic.connection.ask("OffsetForLeaderEpoch", 4, replica_id=-1, topics=asked).topics[0].partitions[0]
        return found.error_code, found.leader_epoch, found.end_offset

    assert end(0) == (0, 0, 2)
    assert end(7) == (0, -1, -1)


def test_a_keyless_record_on_a_compacted_topic_is_named(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name, config={"cleanup.policy": "compact"})
    with RawConnection(broker.address) as connection:
        wait_until_served(connection, name)
        refused = Topic(connection, name).produce(batch(b"a", b"b", key=None))
    assert refused.error_code == 87
    assert [error.batch_index for error in refused.record_errors] == [0, 1]
    assert refused.base_offset == -1


def test_a_topic_id_is_not_reused(broker: RunningBroker, name: str) -> None:
    with RawConnection(broker.address) as connection:
        ids = []
        for _ in range(2):
            create_topic(broker.bootstrap, name)
            ids.append(connection.ask("Metadata", 12, topics=[{"name": name}]).topics[0].topic_id)
            connection.ask("DeleteTopics", 6, topics=[{"name": name}], timeout_ms=5_000)
        assert ids[0] != ids[1]
        partition = {"partition": 0, "fetch_offset": 0, "partition_max_bytes": 100}
        stale = [{"topic_id": ids[0], "partitions": [partition]}]
        answer = connection.ask("Fetch", 13, max_wait_ms=0, max_bytes=100, session_epoch=-1, topics=stale)
        assert answer.responses[0].partitions[0].error_code == 100  # UNKNOWN_TOPIC_ID
