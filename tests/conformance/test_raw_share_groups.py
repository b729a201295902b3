"""Share groups on the wire: what a member and an administrator are told, code by code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from conformance.confluent import admin, create_topic
from conformance.running_broker import RunningBroker
from conformance.waiting import eventually
from riacho.base.errors import ErrorCode
from riacho.client.cluster import Cluster
from riacho.client.settings import client_settings
from riacho.wire.messages import (
    alter_share_group_offsets_request as alter,
)
from riacho.wire.messages import (
    consumer_group_heartbeat_request as consumer,
)
from riacho.wire.messages import (
    delete_share_group_offsets_request as delete,
)
from riacho.wire.messages import (
    describe_share_group_offsets_request as describe,
)
from riacho.wire.messages import (
    offset_commit_request as commit,
)
from riacho.wire.messages.delete_groups_request import DeleteGroupsRequest
from riacho.wire.messages.list_groups_request import ListGroupsRequest
from riacho.wire.messages.share_group_describe_request import ShareGroupDescribeRequest
from riacho.wire.messages.share_group_heartbeat_request import ShareGroupHeartbeatRequest

pytestmark = pytest.mark.timeout(90)


class Group:
    def __init__(self, cluster: Cluster, name: str) -> None:
        self.cluster = cluster
        self.name = name

    def send(self, request: Any, version: int | None = None) -> Any:
        return self.cluster.retry(lambda: self.cluster.coordinator(self.name)).send(request, version)

    def heartbeat(self, member_id: str, epoch: int, topics: list[str] | None = None, rack_id: str | None = None) -> Any:
        request = ShareGroupHeartbeatRequest(
            group_id=self.name,
            member_id=member_id,
            member_epoch=epoch,
            rack_id=rack_id,
            subscribed_topic_names=topics,
        )
        return self.send(request)

    def joined(self, member_id: str = "m") -> int:
        """The epoch of a member that reads all of the topic."""
        answer = self.heartbeat(member_id, 0, [self.name])
        assert answer.error_code == 0
        epoch = answer.member_epoch

        def has_all() -> bool:
            nonlocal epoch
            beat = self.heartbeat(member_id, epoch)
            epoch = beat.member_epoch
            return beat.assignment is not None and bool(beat.assignment.topic_partitions)

        eventually(has_all, 30, 0.2)
        return int(epoch)

    def alter(self, topic: str, partition: int, offset: int) -> Any:
        part = alter.AlterShareGroupOffsetsRequestPartition(partition_index=partition, start_offset=offset)
        asked = alter.AlterShareGroupOffsetsRequestTopic(topic_name=topic, partitions=[part])
        return self.send(alter.AlterShareGroupOffsetsRequest(group_id=self.name, topics=[asked]))

    def delete_offsets(self, topic: str) -> Any:
        asked = delete.DeleteShareGroupOffsetsRequestTopic(topic_name=topic)
        return self.send(delete.DeleteShareGroupOffsetsRequest(group_id=self.name, topics=[asked]))

    def offsets(self, topics: dict[str, list[int]] | None = None) -> list[tuple[str, int, int, int, int]]:
        asked = None
        if topics is not None:
            asked = [
                describe.DescribeShareGroupOffsetsRequestTopic(topic_name=t, partitions=p) for t, p in topics.items()
            ]
        group = describe.DescribeShareGroupOffsetsRequestGroup(group_id=self.name, topics=asked)
        answer = self.send(describe.DescribeShareGroupOffsetsRequest(groups=[group])).groups[0]
        assert answer.error_code == 0
        return sorted(
            (topic.topic_name, p.partition_index, p.start_offset, p.lag, p.error_code)
            for topic in answer.topics
            for p in topic.partitions
        )

    def describe(self) -> Any:
        return self.send(ShareGroupDescribeRequest(group_ids=[self.name])).groups[0]

    def delete(self) -> int:
        return int(self.send(DeleteGroupsRequest(groups_names=[self.name])).results[0].error_code)


@pytest.fixture
def group(broker: RunningBroker, name: str) -> Iterator[Group]:
    create_topic(broker.bootstrap, name, 2)
    with Cluster(client_settings(broker.bootstrap, {})) as cluster:
        yield Group(cluster, name)


@pytest.mark.parametrize(
    ("member_id", "epoch", "topics", "rack_id", "message"),
    [
        ("", 0, ["t"], None, None),
        ("x" * 37, 0, ["t"], None, None),
        ("m", -2, ["t"], None, "MemberEpoch is invalid."),
        ("m", 0, None, None, "SubscribedTopicNames must be set in first request."),
        ("m", 0, [], None, "SubscribedTopicNames must be set in first request."),
        ("m", 0, ["t"], "", "RackId can't be empty."),
    ],
)
def test_bad_heartbeats(
    group: Group, member_id: str, epoch: int, topics: list[str] | None, rack_id: str | None, message: str | None
) -> None:
    answer = group.heartbeat(member_id, epoch, topics, rack_id)
    assert (answer.error_code, answer.error_message) == (ErrorCode.INVALID_REQUEST, message)


def test_a_member_from_joining_to_leaving(group: Group) -> None:
    unknown = group.heartbeat("m", 1)
    assert (unknown.error_code, unknown.error_message) == (
        ErrorCode.GROUP_ID_NOT_FOUND,
        f"Share group {group.name} not found.",
    )
    first = group.heartbeat("m", 0, [group.name, "not-there"])
    assert (first.error_code, first.member_id, first.member_epoch) == (0, "m", 2)
    assert first.heartbeat_interval_ms == 300
    assert first.assignment.topic_partitions == []
    epoch = group.joined()
    assert epoch >= 3
    described = group.describe()
    assert (described.group_state, described.assignor_name, described.group_epoch) == ("Stable", "simple", epoch)
    (member,) = described.members
    assert [(t.topic_name, sorted(t.partitions)) for t in member.assignment.topic_partitions] == [(group.name, [0, 1])]
    assert group.heartbeat("m", epoch + 1).error_code == ErrorCode.FENCED_MEMBER_EPOCH
    assert group.heartbeat("m", 1).error_code == ErrorCode.FENCED_MEMBER_EPOCH
    assert group.heartbeat("other", epoch).error_code == ErrorCode.UNKNOWN_MEMBER_ID
    left = group.heartbeat("m", -1)
    assert (left.error_code, left.member_id, left.member_epoch) == (0, "m", -1)
    assert group.describe().group_state == "Empty"
    assert group.heartbeat("m", -1).error_code == ErrorCode.UNKNOWN_MEMBER_ID


def test_a_silent_member_is_taken_out(group: Group) -> None:
    group.joined()
    eventually(lambda: group.describe().group_state == "Empty", 30)


def test_other_protocols_do_not_see_it(group: Group) -> None:
    group.heartbeat("m", 0, [group.name])
    request = consumer.ConsumerGroupHeartbeatRequest(
        group_id=group.name,
        member_id="c",
        member_epoch=0,
        rebalance_timeout_ms=1_000,
        subscribed_topic_names=[group.name],
        topic_partitions=[],
    )
    assert group.send(request).error_code == ErrorCode.GROUP_ID_NOT_FOUND
    partition = commit.OffsetCommitRequestPartition(partition_index=0, committed_offset=1)
    topic = commit.OffsetCommitRequestTopic(name=group.name, partitions=[partition])
    answer = group.send(commit.OffsetCommitRequest(group_id=group.name, topics=[topic]), 9)
    assert answer.topics[0].partitions[0].error_code == ErrorCode.GROUP_ID_NOT_FOUND
    listed = group.send(ListGroupsRequest(types_filter=["Share"])).groups
    assert (group.name, "share", "share") in [(g.group_id, g.protocol_type, g.group_type) for g in listed]
    assert group.name not in [g.group_id for g in group.send(ListGroupsRequest(types_filter=["consumer"])).groups]


def test_offsets_of_a_group_with_members_stay(group: Group) -> None:
    group.joined()
    for answer in (group.alter(group.name, 0, 0), group.delete_offsets(group.name)):
        assert (answer.error_code, answer.error_message) == (ErrorCode.NON_EMPTY_GROUP, "The group is not empty.")
    assert group.delete() == ErrorCode.NON_EMPTY_GROUP


def test_offsets_of_an_empty_group(group: Group) -> None:
    name = group.name

    def altered() -> bool:
        """The coordinator may hear of a new topic later than others, or have to be found first."""
        topics = group.alter(name, 1, 0).responses
        return [(t.topic_name, p.partition_index, p.error_code) for t in topics for p in t.partitions] == [(name, 1, 0)]

    eventually(altered, 20)
    eventually(lambda: group.offsets() == [(name, 1, 0, 0, 0)], 20)
    assert set(group.offsets({name: [0, 1], "not-there": [0]})) == {
        (name, 0, -1, -1, 0),
        (name, 1, 0, 0, 0),
        ("not-there", 0, -1, -1, 0),
    }
    assert group.alter(name, 7, 0).responses[0].partitions[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert group.alter("not-there", 0, 0).responses[0].partitions[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert group.delete_offsets("not-there").responses[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert group.delete_offsets(name).responses[0].error_code == 0
    again = group.delete_offsets(name).responses[0]
    assert (again.error_code, again.error_message) == (
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        "There is no offset information to delete.",
    )
    assert group.offsets() == []
    assert group.delete() == 0
    assert group.delete() == ErrorCode.GROUP_ID_NOT_FOUND
    assert group.delete_offsets(name).error_code == ErrorCode.GROUP_ID_NOT_FOUND
    assert group.describe().error_code == ErrorCode.GROUP_ID_NOT_FOUND


def test_a_deleted_topic_is_forgotten(broker: RunningBroker, group: Group) -> None:
    group.joined()
    assert [offset[:2] for offset in group.offsets()] == [(group.name, 0), (group.name, 1)]
    client = admin(broker.bootstrap)
    client.delete_topics([group.name], operation_timeout=20)[group.name].result(20)
    eventually(lambda: group.offsets() == [], 20)
    group.heartbeat("m", -1)
    create_topic(broker.bootstrap, group.name, 1)
    group.joined("n")
    assert [offset[:2] for offset in group.offsets()] == [(group.name, 0)]
