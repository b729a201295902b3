"""One consumer group as its coordinator describes it, classic or of the new protocol (KIP-848)."""

from __future__ import annotations

import struct
from typing import NamedTuple

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster, check
from riacho.client.offsets import TopicPartition
from riacho.wire.codec import decode
from riacho.wire.messages import consumer_group_describe_response as consumer
from riacho.wire.messages import describe_groups_response as classic
from riacho.wire.messages.consumer_group_describe_request import ConsumerGroupDescribeRequest
from riacho.wire.messages.consumer_protocol_assignment import ConsumerProtocolAssignment
from riacho.wire.messages.describe_groups_request import DescribeGroupsRequest
from riacho.wire.primitives import WireError

_CLASSIC_MEMBER = 0
_CONSUMER_MEMBER = 1
_PREFIX = struct.Struct(">h")


class Member(NamedTuple):
    member_id: str
    instance_id: str | None
    client_id: str
    host: str
    assignment: list[TopicPartition]
    target: list[TopicPartition] = []
    epoch: int | None = None
    # Whether it uses the new protocol; None where the broker does not say.
    upgraded: bool | None = None


class GroupDescription(NamedTuple):
    group_id: str
    state: str
    assignor: str
    members: list[Member]
    coordinator_id: int
    coordinator: tuple[str, int]
    group_epoch: int | None = None
    assignment_epoch: int | None = None


def describe_group(cluster: Cluster, group_id: str) -> GroupDescription:
    """KafkaError GROUP_ID_NOT_FOUND when there is no such group."""
    return cluster.retry(lambda: _describe(cluster, group_id))


def _describe(cluster: Cluster, group_id: str) -> GroupDescription:
    try:
        return _describe_consumer(cluster, group_id)
    except KafkaError as error:
        if error.code not in (ErrorCode.GROUP_ID_NOT_FOUND, ErrorCode.UNSUPPORTED_VERSION):
            raise
    return _describe_classic(cluster, group_id)


def _describe_consumer(cluster: Cluster, group_id: str) -> GroupDescription:
    node_id, address = cluster.find_coordinator(group_id)
    request = ConsumerGroupDescribeRequest(group_ids=[group_id])
    response = cluster.ask(request, consumer.ConsumerGroupDescribeResponse, cluster.coordinator(group_id))
    group = response.groups[0]
    check(group.error_code, group.error_message)
    members = [
        Member(
            m.member_id,
            m.instance_id,
            m.client_id,
            m.client_host,
            _flat(m.assignment),
            _flat(m.target_assignment),
            m.member_epoch,
            {_CONSUMER_MEMBER: True, _CLASSIC_MEMBER: False}.get(m.member_type),
        )
        for m in group.members
    ]
    return GroupDescription(
        group_id,
        group.group_state,
        group.assignor_name,
        members,
        node_id,
        address,
        group.group_epoch,
        group.assignment_epoch,
    )


def _flat(assignment: consumer.Assignment) -> list[TopicPartition]:
    return sorted((t.topic_name, p) for t in assignment.topic_partitions for p in t.partitions)


def _describe_classic(cluster: Cluster, group_id: str) -> GroupDescription:
    node_id, address = cluster.find_coordinator(group_id)
    request = DescribeGroupsRequest(groups=[group_id])
    response = cluster.ask(request, classic.DescribeGroupsResponse, cluster.coordinator(group_id))
    group = response.groups[0]
    check(group.error_code, group.error_message)
    if group.group_state == "Dead":
        raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Consumer group '{group_id}' does not exist.")
    if group.protocol_type not in ("consumer", ""):
        raise KafkaError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, f"Group '{group_id}' is not a consumer group.")
    members = [
        Member(m.member_id, m.group_instance_id, m.client_id, m.client_host, assigned_partitions(m.member_assignment))
        for m in group.members
    ]
    return GroupDescription(group_id, group.group_state, group.protocol_data, members, node_id, address)


def assigned_partitions(data: bytes) -> list[TopicPartition]:
    """What the group's leader wrote for a member; nothing while a rebalance is under way."""
    if len(data) < _PREFIX.size:
        return []
    (version,) = _PREFIX.unpack_from(data)
    version = min(version, ConsumerProtocolAssignment.VERSIONS[1])
    try:
        assignment = decode(ConsumerProtocolAssignment, version, data, _PREFIX.size)
    except WireError:
        return []
    return sorted((t.topic, p) for t in assignment.assigned_partitions for p in t.partitions)
