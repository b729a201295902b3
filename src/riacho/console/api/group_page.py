"""One group: as its coordinator tells of it now, or as it was last seen where that cannot be had.

The picture knows who coordinates it, of which type it is and who leads its partitions, so that a page takes a request
each for members, offsets and ends, and waits behind no more than these while brokers are busy. What the picture has
wrong, as something has moved since, is asked for once more, and not again: a page that is looked at every few seconds
had better be shown as it was.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster, check, is_passing
from riacho.client.group_description import describe_group_at
from riacho.client.groups import fetch_offsets_of_groups
from riacho.client.offsets import LATEST, TopicPartition
from riacho.client.offsets import by_leader as led_now
from riacho.client.share_groups import describe_share_group_at, offsets_of_share_groups
from riacho.client.streams_groups import describe_streams_group_at
from riacho.console.clusters.by_broker import Gaps
from riacho.console.clusters.group_survey import SHARE, total
from riacho.console.clusters.partition_ends import by_leader, offsets_at
from riacho.console.clusters.picture import GroupFacts, Picture

STREAMS = "streams"
CLASSIC = "classic"


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


class GroupTopic(msgspec.Struct):
    topic: str
    lag: int | None


class GroupPage(msgspec.Struct):
    id: str
    type: str
    state: str
    # Without members and offsets one by one where it is as it was last seen.
    members: list[GroupMember]
    member_count: int | None
    offsets: list[GroupOffset]
    topics: list[GroupTopic]
    lag: int | None
    coordinator: int
    protocol: str | None
    as_of_ms: int
    # Why it is as it was last seen.
    stale_reason: str | None


def group_as_seen(group: GroupFacts, picture: Picture, reason: str) -> GroupPage:
    """Of the picture; where the coordinator was away by then, of when it was last heard of."""
    heard = group.heard
    told = group if heard is None else heard
    return GroupPage(
        id=group.id,
        type=group.type,
        state=told.state,
        members=[],
        member_count=told.members,
        offsets=[],
        topics=[GroupTopic(topic, lag) for topic, lag in sorted(told.topics.items())],
        lag=told.lag,
        coordinator=group.coordinator,
        protocol=group.protocol,
        as_of_ms=picture.as_of_ms if heard is None else heard.at_ms,
        stale_reason=reason,
    )


def group_now(cluster: Cluster, group: GroupFacts, picture: Picture) -> GroupPage:
    """KafkaError. Blocking."""
    try:
        return _asked(cluster, group, group.coordinator, picture)
    except KafkaError as error:
        if not is_passing(error.code):
            raise
        if error.code is ErrorCode.NETWORK_EXCEPTION:
            # Brokers close what is idle for long: the other connections are as old.
            cluster.close()
    coordinator, _ = cluster.find_coordinator(group.id)
    return _asked(cluster, group, coordinator, picture)


def _asked(cluster: Cluster, group: GroupFacts, coordinator: int, picture: Picture) -> GroupPage:
    now_ms = time.time_ns() // 1_000_000
    state, protocol, members = _described(cluster, group, coordinator)
    if group.type == SHARE:
        offsets = _share_rows(cluster, group.id, coordinator, picture)
    else:
        offsets = _rows(cluster, group.id, coordinator, _readers(members), picture)
    return GroupPage(
        id=group.id,
        type=group.type,
        state=state,
        members=members,
        member_count=len(members),
        offsets=offsets,
        topics=_topics(offsets),
        lag=total(each.lag for each in offsets if each.committed is not None),
        coordinator=coordinator,
        protocol=protocol,
        as_of_ms=now_ms,
        stale_reason=None,
    )


def _described(cluster: Cluster, group: GroupFacts, coordinator: int) -> tuple[str, str | None, list[GroupMember]]:
    """(state, protocol, members)"""
    if group.type == SHARE:
        share = describe_share_group_at(cluster, coordinator, group.id)
        shared = [GroupMember(m.member_id, m.client_id, m.host, None, _assigned(m.assignment)) for m in share.members]
        return share.state, group.protocol, shared
    if group.type == STREAMS:
        told = describe_streams_group_at(cluster, coordinator, group.id)
    else:
        told = describe_group_at(cluster, coordinator, group.id, is_classic=group.type == CLASSIC)
    members = [
        GroupMember(m.member_id, m.client_id, m.host, m.instance_id, _assigned(m.assignment)) for m in told.members
    ]
    return told.state, told.assignor or group.protocol, members


def _assigned(partitions: Sequence[TopicPartition]) -> list[Assigned]:
    return [Assigned(topic, partition) for topic, partition in partitions]


def _readers(members: Sequence[GroupMember]) -> dict[TopicPartition, str]:
    return {(each.topic, each.partition): member.id for member in members for each in member.partitions}


def _rows(
    cluster: Cluster, group_id: str, coordinator: int, readers: Mapping[TopicPartition, str], picture: Picture
) -> list[GroupOffset]:
    """Also of partitions that are read and have nothing committed yet."""
    committed = fetch_offsets_of_groups(cluster, coordinator, [group_id])[group_id]
    if isinstance(committed, ErrorCode):
        _check(committed, group_id)
        committed = {}
    partitions = sorted(committed.keys() | readers.keys())
    ends = _ends(cluster, partitions, picture)
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


def _share_rows(cluster: Cluster, group_id: str, coordinator: int, picture: Picture) -> list[GroupOffset]:
    """Several members may read one partition, so none of them is its reader."""
    offsets = offsets_of_share_groups(cluster, coordinator, [group_id])[group_id]
    if isinstance(offsets, ErrorCode):
        _check(offsets, group_id)
        offsets = {}
    ends = _ends(cluster, sorted(offsets), picture)
    return [
        GroupOffset(topic, partition, offset.start_offset, ends.get((topic, partition)), offset.lag, None, None)
        for (topic, partition), offset in sorted(offsets.items())
    ]


def _check(refused: ErrorCode, group_id: str) -> None:
    """A group that is not there has committed nothing."""
    if refused is not ErrorCode.GROUP_ID_NOT_FOUND:
        check(refused, f"The offsets of group '{group_id}' cannot be read now.")


def _topics(offsets: Iterable[GroupOffset]) -> list[GroupTopic]:
    lags: dict[str, list[int | None]] = {}
    for each in offsets:
        if each.committed is not None:
            lags.setdefault(each.topic, []).append(each.lag)
    return [GroupTopic(topic, total(known)) for topic, known in lags.items()]


def _ends(cluster: Cluster, partitions: Sequence[TopicPartition], picture: Picture) -> dict[TopicPartition, int]:
    """Where they end; without those of which that is not known. The second attempt is for those whose leader is another
    by now."""
    wanted = set(partitions)
    named = [
        picture.topics[topic] for topic in dict.fromkeys(topic for topic, _ in partitions) if topic in picture.topics
    ]
    leaders = ((topic.name, p.partition, p.leader) for topic in named for p in topic.partitions)
    ends = offsets_at(cluster, by_leader(each for each in leaders if each[:2] in wanted), LATEST, Gaps())
    missing = [partition for partition in partitions if partition not in ends]
    if missing:
        ends |= offsets_at(cluster, led_now(cluster, missing)[0], LATEST, Gaps())
    return ends
