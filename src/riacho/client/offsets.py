"""Offsets of partitions by time (ListOffsets), asked of each partition's leader."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeVar

from riacho.base.errors import ErrorCode
from riacho.client.cluster import Cluster, check, error_of
from riacho.wire.messages.list_offsets_request import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from riacho.wire.messages.list_offsets_response import ListOffsetsResponse
from riacho.wire.messages.metadata_response import MetadataResponseTopic

TopicPartition = tuple[str, int]
Topics = Mapping[str, MetadataResponseTopic]
T = TypeVar("T")

LATEST = -1
EARLIEST = -2
MAX_TIMESTAMP = -3
EARLIEST_LOCAL = -4
LATEST_TIERED = -5
EARLIEST_PENDING_UPLOAD = -6
# The first version of ListOffsets that knows each special time (KIP-734, KIP-405, KIP-1005, KIP-1023).
_FIRST_VERSION = {MAX_TIMESTAMP: 7, EARLIEST_LOCAL: 8, LATEST_TIERED: 9, EARLIEST_PENDING_UPLOAD: 11}

UNKNOWN_OFFSET = -1


class FoundOffset(NamedTuple):
    """`offset` is -1 where no record is that young; `error` is NONE unless this partition could not be asked."""

    offset: int
    timestamp: int
    leader_epoch: int
    error: ErrorCode = ErrorCode.NONE


def by_leader(
    cluster: Cluster, partitions: Iterable[TopicPartition], known: Topics | None = None
) -> tuple[dict[int, list[TopicPartition]], dict[TopicPartition, ErrorCode]]:
    """Which broker leads each partition, and what is wrong with those that have none. `known` is metadata of now."""
    wanted = list(dict.fromkeys(partitions))
    topics = known or {t.name or "": t for t in cluster.metadata(sorted({topic for topic, _ in wanted})).topics}
    led: dict[int, list[TopicPartition]] = {}
    failed: dict[TopicPartition, ErrorCode] = {}
    for topic, partition in wanted:
        found = topics[topic]
        described = next((p for p in found.partitions if p.partition_index == partition), None)
        if found.error_code:
            failed[topic, partition] = error_of(found.error_code)
        elif described is None:
            failed[topic, partition] = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        elif described.leader_id < 0:
            failed[topic, partition] = ErrorCode.LEADER_NOT_AVAILABLE
        else:
            led.setdefault(described.leader_id, []).append((topic, partition))
    return led, failed


def list_offsets(
    cluster: Cluster,
    times: Mapping[TopicPartition, int],
    *,
    committed_only: bool = False,
    known: Topics | None = None,
) -> dict[TopicPartition, FoundOffset]:
    """Leaders that moved are asked again until the time is up; then the error stays with the partition.

    `known` is metadata of their topics that was asked for a moment ago, and spares a first question.
    """
    found: dict[TopicPartition, FoundOffset] = {}

    def work() -> None:
        nonlocal known
        metadata, known = known, None
        missing = {p: t for p, t in times.items() if p not in found or found[p].error.retriable}
        _ask_leaders(cluster, missing, committed_only, found, metadata)
        moved = next((f.error for p, f in found.items() if _is_moving(f.error)), None)
        if moved is not None:
            check(moved, "a partition has no leader yet")

    try:
        cluster.retry(work)
    except Exception:
        if len(found) < len(times):
            raise
    return found


def _is_moving(error: ErrorCode) -> bool:
    return error.retriable and error is not ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def _ask_leaders(
    cluster: Cluster,
    times: Mapping[TopicPartition, int],
    committed_only: bool,
    found: dict[TopicPartition, FoundOffset],
    known: Topics | None,
) -> None:
    led, failed = by_leader(cluster, times, known)
    for partition, error in failed.items():
        found[partition] = FoundOffset(UNKNOWN_OFFSET, -1, -1, error)
    for leader_id, partitions in led.items():
        asked = {partition: times[partition] for partition in partitions}
        found |= offsets_of_leader(cluster, leader_id, asked, committed_only=committed_only)


def offsets_of_leader(
    cluster: Cluster, leader_id: int, times: Mapping[TopicPartition, int], *, committed_only: bool = False
) -> dict[TopicPartition, FoundOffset]:
    """One request to the broker that leads all of these; one attempt."""
    connection = cluster.broker(leader_id)
    oldest = max((_FIRST_VERSION.get(time, 1) for time in times.values()), default=1)
    if connection.version_for(2) < oldest:
        check(ErrorCode.UNSUPPORTED_VERSION, f"The broker at {connection.address} does not know that kind of time.")
    request = ListOffsetsRequest(
        replica_id=-1,
        isolation_level=int(committed_only),
        topics=group_by_topic(
            times,
            lambda name, indexes: ListOffsetsTopic(
                name=name,
                partitions=[ListOffsetsPartition(partition_index=i, timestamp=times[name, i]) for i in indexes],
            ),
        ),
        timeout_ms=cluster.settings.request_timeout_ms,
    )
    return {
        (topic.name, p.partition_index): FoundOffset(p.offset, p.timestamp, p.leader_epoch, error_of(p.error_code))
        for topic in cluster.ask(request, ListOffsetsResponse, connection).topics
        for p in topic.partitions
    }


def group_by_topic(partitions: Iterable[TopicPartition], make: Callable[[str, list[int]], T]) -> list[T]:
    grouped: dict[str, list[int]] = {}
    for topic, partition in partitions:
        grouped.setdefault(topic, []).append(partition)
    return [make(topic, indexes) for topic, indexes in grouped.items()]
