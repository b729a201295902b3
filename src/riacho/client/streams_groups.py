"""Groups of Kafka Streams applications as their coordinator describes them (KIP-1071)."""

from __future__ import annotations

from collections.abc import Mapping

from riacho.client.cluster import Cluster, check
from riacho.client.group_description import GroupDescription, Member
from riacho.client.offsets import TopicPartition
from riacho.wire.messages.streams_group_describe_request import StreamsGroupDescribeRequest
from riacho.wire.messages.streams_group_describe_response import Assignment, StreamsGroupDescribeResponse, Topology


def describe_streams_group_at(cluster: Cluster, coordinator_id: int, group_id: str) -> GroupDescription:
    """Of the broker that coordinates it; one attempt. KafkaError GROUP_ID_NOT_FOUND when there is no such group. A
    member's partitions are those that its active tasks read."""
    connection = cluster.broker(coordinator_id)
    request = StreamsGroupDescribeRequest(group_ids=[group_id])
    group = cluster.ask(request, StreamsGroupDescribeResponse, connection).groups[0]
    check(group.error_code, group.error_message)
    sources = _sources(group.topology)
    members = [
        Member(
            m.member_id,
            m.instance_id,
            m.client_id,
            m.client_host,
            _read(m.assignment, sources),
            _read(m.target_assignment, sources),
            m.member_epoch,
        )
        for m in group.members
    ]
    address = (connection.host, connection.port)
    return GroupDescription(
        group_id, group.group_state, "", members, coordinator_id, address, group.group_epoch, group.assignment_epoch
    )


def _sources(topology: Topology | None) -> dict[str, list[str]]:
    """The topics that each part of the application reads."""
    parts = (topology.subtopologies if topology is not None else None) or []
    return {
        part.subtopology_id: [*part.source_topics, *(topic.name for topic in part.repartition_source_topics)]
        for part in parts
    }


def _read(assignment: Assignment, sources: Mapping[str, list[str]]) -> list[TopicPartition]:
    return sorted(
        (topic, partition)
        for tasks in assignment.active_tasks
        for topic in sources.get(tasks.subtopology_id, ())
        for partition in tasks.partitions
    )
