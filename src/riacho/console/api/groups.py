"""Groups of consumers: all kinds in one list from the picture; one group as its coordinator tells of it now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter

import msgspec
from starlette.responses import Response

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster
from riacho.client.group_description import describe_group
from riacho.client.groups import delete_groups, fetch_offsets
from riacho.client.offsets import LATEST, TopicPartition, list_offsets
from riacho.client.share_groups import describe_share_group, share_group_offsets
from riacho.client.streams_groups import describe_streams_group
from riacho.console.api.listing import PAGE_QUERY, Page, cut, fields_of
from riacho.console.clusters.errors import KAFKA_ERRORS
from riacho.console.clusters.group_survey import SHARE, total
from riacho.console.clusters.picture import GroupFacts, Patch
from riacho.console.clusters.watch import Seen
from riacho.console.parts import Parts
from riacho.web.answers import json_answer, no_content
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query
from riacho.web.errors import ApiError

STREAMS = "streams"
TYPES = ("consumer", "classic", SHARE, STREAMS)
_FIELDS = {
    **fields_of("id", "type", "state", "members", "lag", "coordinator", "protocol"),
    "topics": lambda group: len(group.topics),
}
_QUERY = (
    *PAGE_QUERY,
    Query("type", str, f"Only groups of this type: {', '.join(TYPES)}."),
    Query("state", str, "Only groups in this state, as Empty or Stable."),
)


class GroupRow(msgspec.Struct):
    id: str
    # consumer, classic, share, streams
    type: str
    state: str
    members: int | None
    topics: int
    # None: not known, or nothing is committed.
    lag: int | None
    coordinator: int
    protocol: str | None


class Assigned(msgspec.Struct):
    topic: str
    partition: int


class GroupMember(msgspec.Struct):
    id: str
    client_id: str
    host: str
    instance_id: str | None
    partitions: list[Assigned]


class GroupOffset(msgspec.Struct):
    topic: str
    partition: int
    # Of a share group: where it begins.
    committed: int | None
    next_offset: int | None
    lag: int | None
    # The id of the member that reads it; None where nobody does, or several do.
    member: str | None
    metadata: str | None


class GroupPage(msgspec.Struct):
    id: str
    type: str
    state: str
    members: list[GroupMember]
    offsets: list[GroupOffset]
    lag: int | None
    coordinator: int
    protocol: str | None


def endpoints(parts: Parts) -> list[Endpoint]:
    async def get_all(call: Call) -> Response:
        seen = await parts.clusters.of(call).watch.now()
        kind, state = call.text("type"), (call.text("state") or "").lower()
        listed = [
            group
            for group in seen.picture.groups.values()
            if (not kind or group.type == kind) and (not state or group.state.lower() == state)
        ]
        found = cut(call, listed, attrgetter("id"), _FIELDS, "id")
        return json_answer(found.page_of([_row(group) for group in found.rows], seen))

    async def get(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        group = group_of(call, await cluster.watch.now())
        return json_answer(await cluster.kafka.ask(lambda c: _page(c, group)))

    async def delete(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        group = group_of(call, await cluster.watch.now())
        await cluster.kafka.ask(lambda c: _delete(c, group.id))
        cluster.watch.patch(Patch(groups={group.id: None}))
        return no_content()

    base = "/api/v1/clusters/{c}/groups"
    return [
        Endpoint("GET", base, get_all, "The groups.", query=_QUERY,
                 tag="groups", errors=KAFKA_ERRORS, answers={200: Page[GroupRow]}),
        Endpoint("GET", base + "/{g}", get, "One group: its members and where it stands.",
                 tag="groups", errors=KAFKA_ERRORS, answers={200: GroupPage}),
        Endpoint("DELETE", base + "/{g}", delete, "Delete a group without members.", tag="groups", errors=KAFKA_ERRORS,
                 answers={204: None}),
    ]  # fmt: skip


def group_of(call: Call, seen: Seen) -> GroupFacts:
    """The one that `{g}` of the path names; ApiError 404."""
    found = seen.picture.groups.get(call.segment("g"))
    if found is None:
        raise ApiError(404, 40404, "There is no group of that id.")
    return found


def standing(cluster: Cluster, group: GroupFacts) -> dict[TopicPartition, int | None]:
    """Where the group stands in each partition that it has committed to, or begun with. Blocking."""
    if group.type == SHARE:
        return {p: offset.start_offset for p, offset in share_group_offsets(cluster, group.id).items()}
    return {p: offset.offset for p, offset in fetch_offsets(cluster, group.id).items()}


def _row(group: GroupFacts) -> GroupRow:
    return GroupRow(
        id=group.id,
        type=group.type,
        state=group.state,
        members=group.members,
        topics=len(group.topics),
        lag=group.lag,
        coordinator=group.coordinator,
        protocol=group.protocol,
    )


def _page(cluster: Cluster, group: GroupFacts) -> GroupPage:
    state, protocol, coordinator, members = _described(cluster, group)
    readers = _readers(members)
    offsets = _share_rows(cluster, group.id) if group.type == SHARE else _rows(cluster, group.id, readers)
    return GroupPage(
        id=group.id,
        type=group.type,
        state=state,
        members=members,
        offsets=offsets,
        lag=total(each.lag for each in offsets if each.committed is not None),
        coordinator=coordinator,
        protocol=protocol,
    )


def _described(cluster: Cluster, group: GroupFacts) -> tuple[str, str | None, int, list[GroupMember]]:
    """(state, protocol, coordinator, members)"""
    if group.type == SHARE:
        share = describe_share_group(cluster, group.id)
        shared = [GroupMember(m.member_id, m.client_id, m.host, None, _assigned(m.assignment)) for m in share.members]
        return share.state, group.protocol, share.coordinator_id, shared
    told = (describe_streams_group if group.type == STREAMS else describe_group)(cluster, group.id)
    members = [
        GroupMember(m.member_id, m.client_id, m.host, m.instance_id, _assigned(m.assignment)) for m in told.members
    ]
    return told.state, told.assignor or group.protocol, told.coordinator_id, members


def _assigned(partitions: Sequence[TopicPartition]) -> list[Assigned]:
    return [Assigned(topic, partition) for topic, partition in partitions]


def _readers(members: Sequence[GroupMember]) -> dict[TopicPartition, str]:
    return {(each.topic, each.partition): member.id for member in members for each in member.partitions}


def _rows(cluster: Cluster, group_id: str, readers: Mapping[TopicPartition, str]) -> list[GroupOffset]:
    """Also of partitions that are read and have nothing committed yet."""
    committed = fetch_offsets(cluster, group_id)
    partitions = sorted(committed.keys() | readers.keys())
    ends = _ends(cluster, partitions)
    rows = []
    for partition in partitions:
        own, next_offset = committed.get(partition), ends.get(partition)
        rows.append(
            GroupOffset(
                topic=partition[0],
                partition=partition[1],
                committed=None if own is None else own.offset,
                next_offset=next_offset,
                lag=None if own is None or next_offset is None else max(next_offset - own.offset, 0),
                member=readers.get(partition),
                metadata=None if own is None else own.metadata or None,
            )
        )
    return rows


def _share_rows(cluster: Cluster, group_id: str) -> list[GroupOffset]:
    """Several members may read one partition, so none of them is its reader."""
    offsets = share_group_offsets(cluster, group_id)
    ends = _ends(cluster, sorted(offsets))
    return [
        GroupOffset(topic, partition, offset.start_offset, ends.get((topic, partition)), offset.lag, None, None)
        for (topic, partition), offset in sorted(offsets.items())
    ]


def _ends(cluster: Cluster, partitions: Sequence[TopicPartition]) -> dict[TopicPartition, int]:
    """Where they end; without those of which that is not known."""
    found = list_offsets(cluster, dict.fromkeys(partitions, LATEST)) if partitions else {}
    return {p: end.offset for p, end in found.items() if end.error is ErrorCode.NONE and end.offset >= 0}


def _delete(cluster: Cluster, group_id: str) -> None:
    code = delete_groups(cluster, [group_id])[group_id]
    if code is ErrorCode.NON_EMPTY_GROUP:
        raise KafkaError(code, f"Group '{group_id}' still has members: stop them first.")
    if code is not ErrorCode.NONE:
        raise KafkaError(code, f"Group '{group_id}' was not deleted: {code.name}.")
