"""The fast path answers byte for byte what the usual way answers, and steps aside for everything unusual."""

from __future__ import annotations

import struct
from collections import deque
from pathlib import Path
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.counters.client_counts import ClientCounts
from riacho.broker.counters.metrics import BrokerMetrics
from riacho.broker.partitions.hosted_partition import HostedPartition
from riacho.broker.produce.fast_path_epoch import FastPathEpoch
from riacho.broker.produce.fast_path_offers import fast_path_for
from riacho.broker.produce.produce_fast_path import ProduceFastPaths
from riacho.broker.produce.produce_refusals import ProduceRefusals
from riacho.log.config import LogConfig
from riacho.log.log import Log
from riacho.partition.validation import TopicRules
from riacho.wire.codec import decode, encode
from riacho.wire.header import encode_request_header
from riacho.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from riacho.wire.messages.produce_response import PartitionProduceResponse, ProduceResponse, TopicProduceResponse
from riacho.wire.records import Record, build_batch
from support.produce_parts import endpoint_of

NOW_MS = 1_700_000_000_000
TOPIC_ID = bytes(range(16))
VERSIONS = range(3, 14)
NO_REPLICAS: Any = None
REFUSALS = ProduceRefusals(BrokerMetrics(), NO_REPLICAS, endpoint_of)
CLIENT = ClientCounts()


@pytest.fixture
def partition(tmp_path: Path) -> HostedPartition:
    log = Log.open(tmp_path / "t-0", LogConfig(), topic_id=TOPIC_ID, now_ms=NOW_MS, clean_shutdown=False)
    hosted = HostedPartition("t", TOPIC_ID, 0, log, TopicRules())
    hosted.is_leader = True
    return hosted


def _batch(count: int, value: bytes, **fields: int) -> bytes:
    records = [Record(offset_delta=at, timestamp_delta=0, key=None, value=value) for at in range(count)]
    return bytes(build_batch(records, base_timestamp=NOW_MS, **fields))


def _request(records: bytes | None, version: int, acks: int = 1, index: int = 0, topic: str = "t") -> ProduceRequest:
    name, topic_id = (topic, bytes(16)) if version < 13 else ("", TOPIC_ID)
    data = PartitionProduceData(index=index, records=records)
    return ProduceRequest(
        acks=acks, timeout_ms=100, topic_data=[TopicProduceData(name=name, topic_id=topic_id, partition_data=[data])]
    )


def _frame(request: ProduceRequest, version: int, correlation_id: int = 1, client_id: str = "c") -> bytearray:
    frame = bytearray()
    encode_request_header(0, version, correlation_id, client_id, frame)
    frame += encode(request, version)
    return frame


def _response(request: ProduceRequest, base_offset: int, log_start_offset: int = 0) -> ProduceResponse:
    topic = request.topic_data[0]
    answer = PartitionProduceResponse(index=0, base_offset=base_offset, log_start_offset=log_start_offset)
    return ProduceResponse(
        responses=[TopicProduceResponse(name=topic.name, topic_id=topic.topic_id, partition_responses=[answer])]
    )


def _usual_answer(request: ProduceRequest, version: int, correlation_id: int, base_offset: int) -> bytes:
    body = encode(_response(request, base_offset), version)
    header = struct.pack(">i", correlation_id) + (b"\0" if version >= 9 else b"")
    return struct.pack(">i", len(header) + len(body)) + header + bytes(body)


class FastPaths:
    """Served one at a time, for tests that look at each answer."""

    def __init__(self) -> None:
        self.epoch = FastPathEpoch()
        self._fast_paths = ProduceFastPaths(self.epoch)
        self.add, self.serve = self._fast_paths.add, self._fast_paths.serve

    def one(self, frame: bytearray, now_ms: int = NOW_MS) -> bytearray | None:
        queue, out = deque([frame]), bytearray()
        count, size_bytes = self.serve(queue, now_ms, out)
        assert (count, size_bytes, len(queue)) in ((1, len(frame), 0), (0, 0, 1))
        return out if count else None


def _fast_path(partition: HostedPartition, version: int) -> FastPaths | None:
    request = _request(_batch(1, b"first"), version)
    fast_path = fast_path_for(
        _frame(request, version), request, _response(request, 0), version, partition, REFUSALS, CLIENT
    )
    if fast_path is None:
        return None
    fast_paths = FastPaths()
    fast_paths.add(fast_path)
    return fast_paths


@pytest.mark.parametrize("version", VERSIONS)
def test_the_answer_is_the_usual_one_to_the_byte(partition: HostedPartition, version: int) -> None:
    fast_path = _fast_path(partition, version)
    assert fast_path is not None
    next_offset = 0
    for correlation_id, count in enumerate((1, 3, 200, 1), start=5):
        request = _request(_batch(count, b"v" * 40), version)
        answer = fast_path.one(_frame(request, version, correlation_id), NOW_MS)
        assert answer == _usual_answer(request, version, correlation_id, next_offset)
        next_offset += count
    assert partition.log.log_end_offset == next_offset
    assert partition.log.high_watermark == next_offset


def test_what_was_written_is_what_was_sent(partition: HostedPartition) -> None:
    fast_path = _fast_path(partition, 9)
    assert fast_path is not None
    fast_path.one(_frame(_request(_batch(2, b"kept"), 9), 9), NOW_MS)
    found = partition.log.read(0, 1 << 20, end_offset=2, at_least_one=True)
    assert found is not None
    # All but base offset and leader epoch, which the leader writes.
    assert found.read()[16:] == _batch(2, b"kept")[16:]


@pytest.mark.parametrize("version", [8, 9, 13])
def test_other_requests_are_left_to_the_usual_way(partition: HostedPartition, version: int) -> None:
    fast_path = _fast_path(partition, version)
    assert fast_path is not None
    records = _batch(1, b"x")
    usual = _request(records, version)
    two_partitions = _request(records, version)
    two_partitions.topic_data[0].partition_data.append(PartitionProduceData(index=1, records=records))
    others = {
        "another client": _frame(usual, version, client_id="d"),
        "other acks": _frame(_request(records, version, acks=-1), version),
        "another partition": _frame(_request(records, version, index=1), version),
        "two partitions": _frame(two_partitions, version),
        "no records": _frame(_request(None, version), version),
        "cut short": _frame(usual, version)[:-5],
        "bytes after it": _frame(usual, version) + b"\0",
        "another version": _frame(usual if version != 13 else _request(records, 12), version - 1),
        "nearly nothing": bytearray(b"\0\0"),
    }
    for what, frame in others.items():
        assert fast_path.one(frame, NOW_MS) is None, what
    assert partition.log.log_end_offset == 0


def test_a_lost_leader_and_a_changed_rule_end_the_fast_path(partition: HostedPartition) -> None:
    fast_path = _fast_path(partition, 9)
    assert fast_path is not None
    frame = _frame(_request(_batch(1, b"x"), 9), 9)
    partition.rules = TopicRules(timestamp_type="LogAppendTime")
    fast_path.epoch.bump()
    assert fast_path.one(bytearray(frame), NOW_MS) is None
    partition.rules = TopicRules()
    fast_path = _fast_path(partition, 9)
    assert fast_path is not None
    assert fast_path.one(bytearray(frame), NOW_MS) is not None
    partition.is_leader = False
    assert fast_path.one(bytearray(frame), NOW_MS) is None
    partition.is_leader = True
    # A fast path that once failed stays closed until the usual way opens it again.
    assert fast_path.one(bytearray(frame), NOW_MS) is None


def test_in_another_epoch_nothing_is_served(partition: HostedPartition) -> None:
    fast_paths = _fast_path(partition, 9)
    assert fast_paths is not None
    frame = _frame(_request(_batch(1, b"x"), 9), 9)
    assert fast_paths.one(bytearray(frame)) is not None
    fast_paths.epoch.bump()
    assert fast_paths.one(bytearray(frame)) is None
    assert partition.log.log_end_offset == 1
    # One that is offered in the new epoch brings none of the old ones back.
    other = _request(_batch(1, b"x"), 9, index=1)
    offered = fast_path_for(_frame(other, 9), other, _response(other, 0), 9, partition, REFUSALS, CLIENT)
    assert offered is not None
    fast_paths.add(offered)
    assert fast_paths.one(bytearray(frame)) is None
    assert fast_paths.one(_frame(other, 9)) is not None


@pytest.mark.parametrize("size", [0, 5, 30])
def test_less_than_a_header_is_refused_the_usual_way(partition: HostedPartition, size: int) -> None:
    fast_paths = _fast_path(partition, 9)
    assert fast_paths is not None
    frame = _frame(_request(bytes(range(1, size + 1)), 9), 9)
    assert fast_paths.one(bytearray(frame)) is None
    assert partition.log.log_end_offset == 0


def test_what_is_refused_stays_as_it_was_sent(partition: HostedPartition) -> None:
    """A base offset that no producer may send: were it corrected on the way, the usual way would take the batch."""
    fast_paths = _fast_path(partition, 9)
    assert fast_paths is not None
    batch = bytearray(_batch(1, b"x"))
    batch[7] = 5
    frame = _frame(_request(bytes(batch), 9), 9)
    sent = bytes(frame)
    assert fast_paths.one(frame) is None
    assert frame == sent


def test_requests_are_counted_once(partition: HostedPartition) -> None:
    fast_paths = _fast_path(partition, 9)
    assert fast_paths is not None
    frame = _frame(_request(_batch(3, b"x"), 9), 9)
    assert fast_paths.one(bytearray(frame)) is not None
    frame[-6] ^= 1
    assert fast_paths.one(frame) is None
    counts = partition.counts
    assert (counts.produce_requests, counts.messages_in) == (1, 3), "the usual way counts what it refuses"


def test_a_bad_batch_is_refused_the_usual_way(partition: HostedPartition) -> None:
    fast_path = _fast_path(partition, 9)
    assert fast_path is not None
    frame = _frame(_request(_batch(1, b"x"), 9), 9)
    frame[-6] ^= 1
    assert fast_path.one(frame, NOW_MS) is None
    assert partition.log.log_end_offset == 0


def test_a_failed_write_leaves_the_batch_as_the_client_sent_it(
    partition: HostedPartition, monkeypatch: pytest.MonkeyPatch
) -> None:
    fast_path = _fast_path(partition, 9)
    assert fast_path is not None
    partition.log.log_end_offset = 7

    def full_disk(*_: object) -> None:
        raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, "no space left")

    monkeypatch.setattr(Log, "write", full_disk)
    frame = _frame(_request(_batch(1, b"x"), 9), 9)
    assert fast_path.one(frame, NOW_MS) is None
    decoded = decode(ProduceRequest, 9, frame, len(_frame(ProduceRequest(), 9)) - len(encode(ProduceRequest(), 9)))
    assert bytes(decoded.topic_data[0].partition_data[0].records or b"")[:8] == bytes(8)


def test_a_duplicate_gets_its_first_offset(partition: HostedPartition) -> None:
    fast_path = _fast_path(partition, 9)
    assert fast_path is not None
    for expected, sequence in ((0, 0), (1, 1), (0, 0)):
        records = _batch(1, b"x", producer_id=4, producer_epoch=0, base_sequence=sequence)
        request = _request(records, 9)
        assert fast_path.one(_frame(request, 9), NOW_MS) == _usual_answer(request, 9, 1, expected)
    assert partition.log.log_end_offset == 2


def test_no_fast_path_for_what_it_cannot_serve(partition: HostedPartition) -> None:
    records = _batch(1, b"x")
    silent = _request(records, 9, acks=0)
    assert fast_path_for(_frame(silent, 9), silent, _response(silent, 0), 9, partition, REFUSALS, CLIENT) is None
    partition.is_internal = True
    assert _fast_path(partition, 9) is None


def test_each_partition_of_a_connection_has_its_fast_path(partition: HostedPartition, tmp_path: Path) -> None:
    log = Log.open(tmp_path / "t-1", LogConfig(), topic_id=TOPIC_ID, now_ms=NOW_MS, clean_shutdown=False)
    second = HostedPartition("t", TOPIC_ID, 1, log, TopicRules())
    second.is_leader = True
    fast_paths = FastPaths()
    for index, hosted in enumerate((partition, second)):
        request = _request(_batch(1, b"x"), 9, index=index)
        fast_path = fast_path_for(_frame(request, 9), request, _response(request, 0), 9, hosted, REFUSALS, CLIENT)
        assert fast_path is not None
        fast_paths.add(fast_path)
    for index in (0, 1, 1):
        assert fast_paths.one(_frame(_request(_batch(1, b"x"), 9, index=index), 9), NOW_MS) is not None
    assert (partition.log.log_end_offset, second.log.log_end_offset) == (1, 2)
    longer = _request(_batch(1, b"x"), 9, topic="longer")
    fast_path = fast_path_for(_frame(longer, 9), longer, _response(longer, 0), 9, partition, REFUSALS, CLIENT)
    assert fast_path is not None
    fast_paths.add(fast_path)
    assert fast_paths.one(_frame(_request(_batch(1, b"x"), 9), 9), NOW_MS) is None
    assert fast_paths.one(_frame(longer, 9), NOW_MS) is not None


def test_a_run_of_requests_is_served_up_to_the_first_other_one(partition: HostedPartition) -> None:
    fast_paths = _fast_path(partition, 9)
    assert fast_paths is not None
    usual = [_request(_batch(1, b"x"), 9) for _ in range(3)]
    other = _frame(_request(_batch(1, b"x"), 9, acks=-1), 9)
    queue = deque([*(_frame(request, 9, at) for at, request in enumerate(usual)), other, _frame(usual[0], 9, 9)])
    out = bytearray()
    size_bytes = sum(len(frame) for frame in list(queue)[:3])
    assert fast_paths.serve(queue, NOW_MS, out) == (3, size_bytes)
    assert out == b"".join(_usual_answer(request, 9, at, at) for at, request in enumerate(usual))
    assert queue[0] is other
