"""Groups as their coordinators tell of them: list, describe, offsets, delete."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster, check, error_of
from riacho.client.offsets import TopicPartition, group_by_topic
from riacho.wire.messages.list_groups_request import ListGroupsRequest
from riacho.wire.messages.list_groups_response import ListedGroup, ListGroupsResponse

if TYPE_CHECKING:
    from riacho.wire.messages.offset_fetch_response import OffsetFetchResponse, OffsetFetchResponseGroup

CLASSIC = "Classic"


class CommittedOffset(NamedTuple):
    offset: int
    leader_epoch: int
    metadata: str


def list_groups(cluster: Cluster, *, states: Sequence[str] = (), types: Sequence[str] = ()) -> list[ListedGroup]:
    """Every broker is asked for the groups that it coordinates; filters came in v4 and v5 (KIP-518, KIP-848)."""
    found: dict[str, ListedGroup] = {}
    for broker_id in sorted(cluster.retry(cluster.live_brokers)):
        for group in cluster.retry(lambda b=broker_id: groups_of_broker(cluster, b, states, types)):  # type: ignore[misc]
            found[group.group_id] = group
    return sorted(found.values(), key=lambda group: group.group_id)


def groups_of_broker(
    cluster: Cluster, broker_id: int, states: Sequence[str] = (), types: Sequence[str] = ()
) -> list[ListedGroup]:
    """Those that it coordinates; one attempt."""
    connection = cluster.broker(broker_id)
    version = connection.version_for(16)
    request = ListGroupsRequest(
        states_filter=list(states) if version >= 4 else [], types_filter=list(types) if version >= 5 else []
    )
    response = cluster.ask(request, ListGroupsResponse, connection)
    check(response.error_code, f"The groups of broker {broker_id} cannot be listed now.")
    wanted_states, wanted_types = {s.lower() for s in states}, {t.lower() for t in types}
    for group in response.groups:
        group.group_type = (group.group_type or CLASSIC).title()
    return [
        group
        for group in response.groups
        if (not wanted_states or group.group_state.lower() in wanted_states)
        and (not wanted_types or group.group_type.lower() in wanted_types)
    ]


def fetch_offsets(cluster: Cluster, group_id: str) -> dict[TopicPartition, CommittedOffset]:
    """All offsets that the group has committed; none for a group that does not exist."""
    from riacho.wire.messages.offset_fetch_request import OffsetFetchRequest, OffsetFetchRequestGroup
    from riacho.wire.messages.offset_fetch_response import OffsetFetchResponse

    def work() -> dict[TopicPartition, CommittedOffset]:
        connection = cluster.coordinator(group_id)
        # Version 8 brought several groups (KIP-709), 10 topic ids in place of names, which the tools have no use for.
        version = min(connection.version_for(9), 9)
        request = OffsetFetchRequest()
        if version >= 8:
            request.groups = [OffsetFetchRequestGroup(group_id=group_id, topics=None)]
        else:
            request.group_id, request.topics = group_id, None
        response = cluster.ask(request, OffsetFetchResponse, connection, version)
        answer = response.groups[0] if version >= 8 else response
        if answer.error_code == ErrorCode.GROUP_ID_NOT_FOUND:
            return {}
        check(answer.error_code, f"The offsets of group '{group_id}' cannot be read now.")
        return _committed(answer)

    return cluster.retry(work)


def fetch_offsets_of_groups(
    cluster: Cluster, coordinator_id: int, group_ids: Iterable[str]
) -> dict[str, dict[TopicPartition, CommittedOffset] | ErrorCode]:
    """All that each has committed, or why that cannot be read; one request for all (KIP-709), one attempt."""
    from riacho.wire.messages.offset_fetch_request import OffsetFetchRequest, OffsetFetchRequestGroup
    from riacho.wire.messages.offset_fetch_response import OffsetFetchResponse

    connection = cluster.broker(coordinator_id)
    version = min(connection.version_for(9), 9)
    if version < 8:
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION, f"{connection.address} tells of one group at a time.")
    groups = [OffsetFetchRequestGroup(group_id=group_id, topics=None) for group_id in group_ids]
    response = cluster.ask(OffsetFetchRequest(groups=groups), OffsetFetchResponse, connection, version)
    return {g.group_id: error_of(g.error_code) if g.error_code else _committed(g) for g in response.groups}


def _committed(answer: OffsetFetchResponse | OffsetFetchResponseGroup) -> dict[TopicPartition, CommittedOffset]:
    return {
        (topic.name, p.partition_index): CommittedOffset(p.committed_offset, p.committed_leader_epoch, p.metadata or "")
        for topic in answer.topics
        for p in topic.partitions
        if p.committed_offset >= 0
    }


def commit_offsets(cluster: Cluster, group_id: str, offsets: Mapping[TopicPartition, int]) -> None:
    """As an outsider: the coordinator takes it only while the group has no members."""
    from riacho.wire.messages.offset_commit_request import (
        OffsetCommitRequest,
        OffsetCommitRequestPartition,
        OffsetCommitRequestTopic,
    )
    from riacho.wire.messages.offset_commit_response import OffsetCommitResponse

    topics = group_by_topic(
        offsets,
        lambda name, indexes: OffsetCommitRequestTopic(
            name=name,
            partitions=[
                OffsetCommitRequestPartition(partition_index=i, committed_offset=offsets[name, i]) for i in indexes
            ],
        ),
    )

    def work() -> None:
        connection = cluster.coordinator(group_id)
        request = OffsetCommitRequest(group_id=group_id, topics=topics)
        # Version 10 names topics by id; the tools know names.
        response = cluster.ask(request, OffsetCommitResponse, connection, min(connection.version_for(8), 9))
        for topic in response.topics:
            for p in topic.partitions:
                error = error_of(p.error_code)
                check(p.error_code, f"The offset of {topic.name}-{p.partition_index} was not taken: {error.name}.")

    cluster.retry(work)


def delete_groups(cluster: Cluster, group_ids: Iterable[str]) -> dict[str, ErrorCode]:
    from riacho.wire.messages.delete_groups_request import DeleteGroupsRequest
    from riacho.wire.messages.delete_groups_response import DeleteGroupsResponse

    def work(group_id: str) -> None:
        request = DeleteGroupsRequest(groups_names=[group_id])
        response = cluster.ask(request, DeleteGroupsResponse, cluster.coordinator(group_id))
        for result in response.results:
            check(result.error_code)

    outcomes = {}
    for group_id in group_ids:
        try:
            cluster.retry(lambda g=group_id: work(g))  # type: ignore[misc]
            outcomes[group_id] = ErrorCode.NONE
        except KafkaError as error:
            outcomes[group_id] = error.code
    return outcomes


def delete_offsets(
    cluster: Cluster, group_id: str, partitions: Iterable[TopicPartition]
) -> tuple[ErrorCode, dict[TopicPartition, ErrorCode]]:
    """(error of the whole request, error of each partition)."""
    from riacho.wire.messages.offset_delete_request import (
        OffsetDeleteRequest,
        OffsetDeleteRequestPartition,
        OffsetDeleteRequestTopic,
    )
    from riacho.wire.messages.offset_delete_response import OffsetDeleteResponse

    request = OffsetDeleteRequest(
        group_id=group_id,
        topics=group_by_topic(
            partitions,
            lambda name, indexes: OffsetDeleteRequestTopic(
                name=name, partitions=[OffsetDeleteRequestPartition(partition_index=i) for i in indexes]
            ),
        ),
    )

    def work() -> OffsetDeleteResponse:
        response = cluster.ask(request, OffsetDeleteResponse, cluster.coordinator(group_id))
        if error_of(response.error_code).retriable:
            check(response.error_code)
        return response

    response = cluster.retry(work)
    outcomes = {
        (topic.name, p.partition_index): error_of(p.error_code) for topic in response.topics for p in topic.partitions
    }
    return error_of(response.error_code), outcomes
