"""The share consumer against a broker of plain objects: heartbeats, sessions, acknowledgements, trouble."""

from __future__ import annotations

from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.share_consumer import ACCEPT, RELEASE, RENEW, ShareConsumer
from riacho.wire.messages import share_fetch_response
from riacho.wire.messages.metadata_response import (
    MetadataResponse,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from riacho.wire.messages.share_acknowledge_request import ShareAcknowledgeRequest
from riacho.wire.messages.share_acknowledge_response import ShareAcknowledgeResponse
from riacho.wire.messages.share_fetch_request import ShareFetchRequest
from riacho.wire.messages.share_fetch_response import ShareFetchResponse
from riacho.wire.messages.share_group_heartbeat_request import ShareGroupHeartbeatRequest
from riacho.wire.messages.share_group_heartbeat_response import (
    Assignment,
    ShareGroupHeartbeatResponse,
    TopicPartitions,
)
from riacho.wire.records import Record, build_batch

T = b"t" * 16


class FakeCluster:
    """One broker that leads both partitions of t; it hands out a batch of three records of partition 0, once."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.failures: list[KafkaError] = []
        self.fetch_code = 0
        self.heartbeat_code = 0
        records = [Record(n, 0, b"k", b"v%d" % n) for n in range(3)]
        self.batches = [bytes(build_batch(records, base_offset=5, base_timestamp=1_700))]

    def retry(self, work: Any) -> Any:
        return work()

    def coordinator(self, group_id: str) -> str:
        return "coordinator"

    def broker(self, node_id: int) -> int:
        return node_id

    def metadata(self, topics: list[str]) -> MetadataResponse:
        partitions = [MetadataResponsePartition(partition_index=p, leader_id=1) for p in (0, 1)]
        return MetadataResponse(topics=[MetadataResponseTopic(name="t", topic_id=T, partitions=partitions)])

    def ask(self, request: Any, answer: type[Any], connection: Any) -> Any:
        self.asked.append(request)
        if isinstance(request, ShareGroupHeartbeatRequest):
            return self._heartbeat(request)
        if self.failures:
            raise self.failures.pop()
        if isinstance(request, ShareAcknowledgeRequest):
            return ShareAcknowledgeResponse()
        return self._fetch()

    def _heartbeat(self, request: ShareGroupHeartbeatRequest) -> ShareGroupHeartbeatResponse:
        if self.heartbeat_code:
            code, self.heartbeat_code = self.heartbeat_code, 0
            return ShareGroupHeartbeatResponse(error_code=code, error_message="out")
        topics = [TopicPartitions(topic_id=T, partitions=[0, 1])]
        assignment = Assignment(topic_partitions=topics) if request.member_epoch == 0 else None
        return ShareGroupHeartbeatResponse(member_epoch=3, heartbeat_interval_ms=1_000, assignment=assignment)

    def _fetch(self) -> ShareFetchResponse:
        if self.fetch_code:
            code, self.fetch_code = self.fetch_code, 0
            return ShareFetchResponse(error_code=code)
        if not self.batches:
            return ShareFetchResponse()
        message = share_fetch_response
        partition = message.PartitionData(
            partition_index=0,
            records=self.batches.pop(),
            # The broker kept the middle one back.
            acquired_records=[
                message.AcquiredRecords(first_offset=5, last_offset=5, delivery_count=1),
                message.AcquiredRecords(first_offset=7, last_offset=7, delivery_count=4),
            ],
        )
        topic = message.ShareFetchableTopicResponse(topic_id=T, partitions=[partition])
        return ShareFetchResponse(responses=[topic])

    def sent(self, kind: type[Any]) -> list[Any]:
        return [request for request in self.asked if isinstance(request, kind)]


class World:
    def __init__(self) -> None:
        self.now_s = 100.0
        self.cluster: Any = FakeCluster()
        self.consumer = ShareConsumer(
            self.cluster, "g", ["t"], member_id="m", clock=lambda: self.now_s, sleep=self.sleep
        )

    def sleep(self, duration_s: float) -> None:
        self.now_s += duration_s


@pytest.fixture
def world() -> World:
    return World()


def test_only_acquired_records_are_handed_over(world: World) -> None:
    records = world.consumer.poll(1_000)
    assert [(r.topic, r.partition, r.offset, r.value, r.delivery_count) for r in records] == [
        ("t", 0, 5, b"v0", 1),
        ("t", 0, 7, b"v2", 4),
    ]


def test_heartbeats_go_out_when_they_are_due(world: World) -> None:
    world.consumer.poll(0)
    world.consumer.poll(0)
    world.now_s += 1.5
    world.consumer.poll(0)
    beats = world.cluster.sent(ShareGroupHeartbeatRequest)
    assert [(beat.member_epoch, beat.subscribed_topic_names) for beat in beats] == [(0, ["t"]), (3, None)]


def test_acknowledgements_go_with_the_next_fetch_or_by_commit(world: World) -> None:
    first, second = world.consumer.poll(0)
    world.consumer.acknowledge(first, ACCEPT)
    world.consumer.poll(0)
    fetch = world.cluster.sent(ShareFetchRequest)[-1]
    assert fetch.share_session_epoch == 1
    assert fetch.topics[0].partitions[0].acknowledgement_batches[0].acknowledge_types == [ACCEPT]
    world.consumer.acknowledge(second, RELEASE)
    world.consumer.commit()
    (sent,) = world.cluster.sent(ShareAcknowledgeRequest)
    assert sent.topics[0].partitions[0].acknowledgement_batches[0].first_offset == 7
    world.consumer.commit()
    assert len(world.cluster.sent(ShareAcknowledgeRequest)) == 1


def test_a_renewal_goes_at_once_and_alone(world: World) -> None:
    first, second = world.consumer.poll(0)
    world.consumer.acknowledge(first)
    world.consumer.acknowledge(second, RENEW)
    assert [sent.is_renew_ack for sent in world.cluster.sent(ShareAcknowledgeRequest)] == [False, True]


def test_closing_ends_sessions_and_leaves(world: World) -> None:
    (first, _) = world.consumer.poll(0)
    world.consumer.acknowledge(first)
    world.consumer.close()
    assert world.cluster.sent(ShareAcknowledgeRequest)[-1].share_session_epoch == -1
    assert world.cluster.sent(ShareGroupHeartbeatRequest)[-1].member_epoch == -1
    world.consumer.close()
    assert len(world.cluster.sent(ShareAcknowledgeRequest)) == 1


@pytest.mark.parametrize("code", [ErrorCode.SHARE_SESSION_NOT_FOUND, ErrorCode.INVALID_SHARE_SESSION_EPOCH])
def test_a_lost_session_begins_anew(world: World, code: ErrorCode) -> None:
    world.cluster.batches = []
    world.consumer.poll(0)
    world.cluster.fetch_code = code
    world.consumer.poll(0)
    world.consumer.poll(0)
    epochs = [request.share_session_epoch for request in world.cluster.sent(ShareFetchRequest)]
    assert epochs == [0, 1, 0]
    assert len(world.cluster.sent(ShareFetchRequest)[-1].topics[0].partitions) == 2


def test_a_broker_that_went_is_looked_for_again(world: World) -> None:
    world.cluster.failures = [KafkaError(ErrorCode.NETWORK_EXCEPTION, "gone")]
    assert world.consumer.poll(0) == []
    assert len(world.consumer.poll(0)) == 2


def test_what_is_no_passing_trouble_is_raised(world: World) -> None:
    world.cluster.fetch_code = ErrorCode.GROUP_AUTHORIZATION_FAILED
    with pytest.raises(KafkaError, match="GROUP_AUTHORIZATION_FAILED"):
        world.consumer.poll(0)


@pytest.mark.parametrize("code", [ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.FENCED_MEMBER_EPOCH])
def test_a_member_that_was_put_out_joins_again(world: World, code: ErrorCode) -> None:
    (first, _) = world.consumer.poll(0)
    world.now_s += 2
    world.cluster.heartbeat_code = code
    world.consumer.poll(0)
    world.consumer.acknowledge(first)
    assert world.consumer.failures == [(first.share, ErrorCode.INVALID_RECORD_STATE)]
    world.consumer.poll(0)
    epochs = [request.member_epoch for request in world.cluster.sent(ShareGroupHeartbeatRequest)]
    assert epochs == [0, 3, 0]


def test_a_first_heartbeat_that_is_refused_is_raised(world: World) -> None:
    world.cluster.heartbeat_code = ErrorCode.GROUP_MAX_SIZE_REACHED
    with pytest.raises(KafkaError, match="out"):
        world.consumer.poll(0)
