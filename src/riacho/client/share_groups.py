"""Share groups as their coordinator tells of them: describe, where they stand, moving and forgetting that (KIP-932)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster, check, error_of
from riacho.client.connection import Connection
from riacho.client.offsets import TopicPartition, group_by_topic
from riacho.wire.messages.alter_share_group_offsets_request import (
    AlterShareGroupOffsetsRequest,
    AlterShareGroupOffsetsRequestPartition,
    AlterShareGroupOffsetsRequestTopic,
)
from riacho.wire.messages.alter_share_group_offsets_response import AlterShareGroupOffsetsResponse
from riacho.wire.messages.delete_share_group_offsets_request import (
    DeleteShareGroupOffsetsRequest,
    DeleteShareGroupOffsetsRequestTopic,
)
from riacho.wire.messages.delete_share_group_offsets_response import DeleteShareGroupOffsetsResponse
from riacho.wire.messages.describe_share_group_offsets_request import (
    DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsRequestGroup,
)
from riacho.wire.messages.describe_share_group_offsets_response import (
    DescribeShareGroupOffsetsResponse,
    DescribeShareGroupOffsetsResponseGroup,
)
from riacho.wire.messages.share_group_describe_request import ShareGroupDescribeRequest
from riacho.wire.messages.share_group_describe_response import ShareGroupDescribeResponse


class ShareMember(NamedTuple):
    member_id: str
    client_id: str
    host: str
    epoch: int
    assignment: list[TopicPartition]


class ShareGroupDescription(NamedTuple):
    group_id: str
    state: str
    members: list[ShareMember]
    group_epoch: int
    assignment_epoch: int
    coordinator_id: int
    coordinator: tuple[str, int]


class ShareOffset(NamedTuple):
    """None: not known yet."""

    start_offset: int | None
    leader_epoch: int | None
    lag: int | None


# A partition that nobody has read yet: where it starts is decided then.
UNDECIDED = ShareOffset(None, None, None)


def describe_share_group(cluster: Cluster, group_id: str) -> ShareGroupDescription:
    """KafkaError GROUP_ID_NOT_FOUND when there is no such share group."""
    return cluster.retry(lambda: _describe(cluster, group_id, *cluster.coordinating(group_id)))


def describe_share_group_at(cluster: Cluster, coordinator_id: int, group_id: str) -> ShareGroupDescription:
    """As above, of the broker that coordinates it; one attempt."""
    return _describe(cluster, group_id, coordinator_id, cluster.broker(coordinator_id))


def _describe(cluster: Cluster, group_id: str, node_id: int, connection: Connection) -> ShareGroupDescription:
    request = ShareGroupDescribeRequest(group_ids=[group_id])
    group = cluster.ask(request, ShareGroupDescribeResponse, connection).groups[0]
    check(group.error_code, group.error_message)
    members = [
        ShareMember(
            member.member_id,
            member.client_id,
            member.client_host,
            member.member_epoch,
            sorted((t.topic_name, index) for t in member.assignment.topic_partitions for index in t.partitions),
        )
        for member in sorted(group.members, key=lambda member: member.member_id)
    ]
    address = (connection.host, connection.port)
    return ShareGroupDescription(
        group_id, group.group_state, members, group.group_epoch, group.assignment_epoch, node_id, address
    )


def share_group_offsets(cluster: Cluster, group_id: str) -> dict[TopicPartition, ShareOffset]:
    """Of all partitions that the group has begun with."""

    def work() -> dict[TopicPartition, ShareOffset]:
        [group] = _ask_offsets(cluster, cluster.coordinator(group_id), [group_id])
        check(group.error_code, group.error_message)
        return _offsets(group)

    return dict(sorted(cluster.retry(work).items()))


def offsets_of_share_groups(
    cluster: Cluster, coordinator_id: int, group_ids: Iterable[str]
) -> dict[str, dict[TopicPartition, ShareOffset] | ErrorCode]:
    """The offsets of each, or why they are not known; one request for all, one attempt."""
    groups = _ask_offsets(cluster, cluster.broker(coordinator_id), group_ids)
    return {g.group_id: error_of(g.error_code) if g.error_code else _offsets(g) for g in groups}


def _ask_offsets(
    cluster: Cluster, connection: Connection, group_ids: Iterable[str]
) -> list[DescribeShareGroupOffsetsResponseGroup]:
    groups = [DescribeShareGroupOffsetsRequestGroup(group_id=group_id, topics=None) for group_id in group_ids]
    request = DescribeShareGroupOffsetsRequest(groups=groups)
    return cluster.ask(request, DescribeShareGroupOffsetsResponse, connection).groups


def _offsets(group: DescribeShareGroupOffsetsResponseGroup) -> dict[TopicPartition, ShareOffset]:
    return {
        (topic.topic_name, p.partition_index): (
            ShareOffset(p.start_offset, _known(p.leader_epoch), _known(p.lag)) if p.start_offset >= 0 else UNDECIDED
        )
        for topic in group.topics
        for p in topic.partitions
        if not p.error_code
    }


def alter_share_group_offsets(cluster: Cluster, group_id: str, offsets: Mapping[TopicPartition, int]) -> None:
    """Taken only while the group has no members."""
    topics = group_by_topic(
        offsets,
        lambda name, indexes: AlterShareGroupOffsetsRequestTopic(
            topic_name=name,
            partitions=[
                AlterShareGroupOffsetsRequestPartition(partition_index=i, start_offset=offsets[name, i])
                for i in indexes
            ],
        ),
    )

    def work() -> None:
        request = AlterShareGroupOffsetsRequest(group_id=group_id, topics=topics)
        response = cluster.ask(request, AlterShareGroupOffsetsResponse, cluster.coordinator(group_id))
        check(response.error_code, response.error_message)
        for topic in response.responses:
            for p in topic.partitions:
                check(p.error_code, f"The offset of {topic.topic_name}-{p.partition_index} was not taken.")

    cluster.retry(work)


def delete_share_group_offsets(
    cluster: Cluster, group_id: str, topics: Iterable[str]
) -> dict[str, tuple[ErrorCode, str]]:
    """What became of each topic, in the broker's words where it has any. KafkaError when the group is refused."""
    request = DeleteShareGroupOffsetsRequest(
        group_id=group_id, topics=[DeleteShareGroupOffsetsRequestTopic(topic_name=name) for name in topics]
    )

    def work() -> DeleteShareGroupOffsetsResponse:
        response = cluster.ask(request, DeleteShareGroupOffsetsResponse, cluster.coordinator(group_id))
        if response.error_code:
            code = error_of(response.error_code)
            raise KafkaError(code, response.error_message or code.name)
        return response

    return {
        topic.topic_name: (error_of(topic.error_code), topic.error_message or "")
        for topic in cluster.retry(work).responses
    }


def _known(value: int) -> int | None:
    return None if value < 0 else value
