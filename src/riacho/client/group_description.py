"""One consumer group as its coordinator describes it, classic or of the new protocol (KIP-848)."""

from __future__ import annotations

import struct
from typing import NamedTuple

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster, check
from riacho.client.connection import Connection
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
    return cluster.retry(lambda: _describe(cluster, group_id, *cluster.coordinating(group_id)))


def describe_group_at(
    cluster: Cluster, coordinator_id: int, group_id: str, *, is_classic: bool = False
) -> GroupDescription:
    """As above, of the broker that coordinates it; one attempt. `is_classic` is the type that it was last seen with,
    and spares a question."""
    connection = cluster.broker(coordinator_id)
    return _describe(cluster, group_id, coordinator_id, connection, is_classic=is_classic)


def _describe(
    cluster: Cluster, group_id: str, node_id: int, connection: Connection, *, is_classic: bool = False
) -> GroupDescription:
    ways = (_describe_consumer, _describe_classic)
    refused: KafkaError | None = None
    for describe in ways[::-1] if is_classic else ways:
        try:
            return describe(cluster, group_id, node_id, connection)
        except KafkaError as error:
            if error.code not in (ErrorCode.GROUP_ID_NOT_FOUND, ErrorCode.UNSUPPORTED_VERSION):
                raise
            # That it is not there says more than that brokers do not know the other kind.
            if refused is None or refused.code is ErrorCode.UNSUPPORTED_VERSION:
                refused = error
    assert refused is not None
    raise refused


def _describe_consumer(cluster: Cluster, group_id: str, node_id: int, connection: Connection) -> GroupDescription:
    request = ConsumerGroupDescribeRequest(group_ids=[group_id])
    response = cluster.ask(request, consumer.ConsumerGroupDescribeResponse, connection)
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
        (connection.host, connection.port),
        group.group_epoch,
        group.assignment_epoch,
    )


def _flat(assignment: consumer.Assignment) -> list[TopicPartition]:
    return sorted((t.topic_name, p) for t in assignment.topic_partitions for p in t.partitions)


def _describe_classic(cluster: Cluster, group_id: str, node_id: int, connection: Connection) -> GroupDescription:
    request = DescribeGroupsRequest(groups=[group_id])
    response = cluster.ask(request, classic.DescribeGroupsResponse, connection)
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
    address = (connection.host, connection.port)
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
