"""One consumer group as `riacho group describe` shows it: members, and how far each partition is behind."""

from __future__ import annotations

from dataclasses import dataclass

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster, check
from riacho.client.groups import fetch_offsets
from riacho.client.offsets import LATEST, TopicPartition, list_offsets
from riacho.wire.codec import decode
from riacho.wire.messages.consumer_group_describe_request import ConsumerGroupDescribeRequest
from riacho.wire.messages.consumer_group_describe_response import ConsumerGroupDescribeResponse
from riacho.wire.messages.consumer_protocol_assignment import ConsumerProtocolAssignment
from riacho.wire.messages.describe_groups_request import DescribeGroupsRequest
from riacho.wire.messages.describe_groups_response import DescribeGroupsResponse
from riacho.wire.primitives import WireError

LAG_COLUMNS = ("topic", "partition", "committed", "end", "lag", "member", "host")


@dataclass(frozen=True, slots=True)
class MemberView:
    member_id: str
    client_id: str
    host: str
    partitions: tuple[TopicPartition, ...]


@dataclass(frozen=True, slots=True)
class GroupView:
    group_id: str
    state: str
    kind: str
    assignor: str
    members: tuple[MemberView, ...]
    rows: list[dict[str, object]]

    @property
    def lag(self) -> int:
        return sum(row["lag"] for row in self.rows if isinstance(row["lag"], int))

    def as_json(self) -> dict[str, object]:
        return {
            "group": self.group_id,
            "state": self.state,
            "type": self.kind,
            "assignor": self.assignor,
            "lag": self.lag,
            "members": [
                {
                    "member_id": member.member_id,
                    "client_id": member.client_id,
                    "host": member.host,
                    "partitions": [{"topic": topic, "partition": p} for topic, p in member.partitions],
                }
                for member in self.members
            ],
            "partitions": self.rows,
        }


def view_group(cluster: Cluster, group_id: str) -> GroupView:
    state, kind, assignor, members = _describe(cluster, group_id)
    committed = fetch_offsets(cluster, group_id)
    owners = {partition: member for member in members for partition in member.partitions}
    if state == "Dead" and not committed:
        raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group '{group_id}' does not exist.")
    partitions = sorted({*committed, *owners})
    ends = list_offsets(cluster, dict.fromkeys(partitions, LATEST))
    rows: list[dict[str, object]] = []
    for partition in partitions:
        offset = committed[partition].offset if partition in committed else None
        end = ends[partition].offset if ends[partition].offset >= 0 else None
        owner = owners.get(partition)
        rows.append(
            {
                "topic": partition[0],
                "partition": partition[1],
                "committed": offset,
                "end": end,
                "lag": None if offset is None or end is None else max(0, end - offset),
                "member": owner.member_id if owner else None,
                "host": owner.host if owner else None,
            }
        )
    return GroupView(group_id, state, kind, assignor, members, rows)


def _describe(cluster: Cluster, group_id: str) -> tuple[str, str, str, tuple[MemberView, ...]]:
    """(state, type, assignor, members)."""
    try:
        return cluster.retry(lambda: _describe_classic(cluster, group_id))
    except KafkaError as error:
        # From version 6 of DescribeGroups on, a group of the newer protocol is unknown to it (KIP-848, KIP-1043).
        if error.code is not ErrorCode.GROUP_ID_NOT_FOUND:
            raise
    try:
        return cluster.retry(lambda: _describe_consumer(cluster, group_id))
    except KafkaError as error:
        if error.code not in (ErrorCode.GROUP_ID_NOT_FOUND, ErrorCode.UNSUPPORTED_VERSION):
            raise
    return "Dead", "Classic", "", ()


def _describe_classic(cluster: Cluster, group_id: str) -> tuple[str, str, str, tuple[MemberView, ...]]:
    request = DescribeGroupsRequest(groups=[group_id])
    group = cluster.ask(request, DescribeGroupsResponse, cluster.coordinator(group_id)).groups[0]
    check(group.error_code, group.error_message or f"Group '{group_id}' cannot be described.")
    members = tuple(
        MemberView(m.member_id, m.client_id, m.client_host.lstrip("/"), _assigned(m.member_assignment))
        for m in group.members
    )
    return group.group_state, "Classic", group.protocol_data, members


def _assigned(assignment: bytes) -> tuple[TopicPartition, ...]:
    """What a member of a consumer group was given; other protocols' bytes are their own business."""
    if len(assignment) < 2:
        return ()
    version = min(int.from_bytes(assignment[:2], "big"), ConsumerProtocolAssignment.VERSIONS[1])
    try:
        plan = decode(ConsumerProtocolAssignment, version, assignment, 2)
    except WireError:
        return ()
    return tuple((topic.topic, p) for topic in plan.assigned_partitions for p in topic.partitions)


def _describe_consumer(cluster: Cluster, group_id: str) -> tuple[str, str, str, tuple[MemberView, ...]]:
    request = ConsumerGroupDescribeRequest(group_ids=[group_id])
    group = cluster.ask(request, ConsumerGroupDescribeResponse, cluster.coordinator(group_id)).groups[0]
    check(group.error_code, group.error_message or f"Group '{group_id}' cannot be described.")
    members = tuple(
        MemberView(
            m.member_id,
            m.client_id,
            m.client_host.lstrip("/"),
            tuple((t.topic_name, p) for t in m.assignment.topic_partitions for p in t.partitions),
        )
        for m in group.members
    )
    return group.group_state, "Consumer", group.assignor_name, members
