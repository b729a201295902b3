"""OffsetFetch decided, for one group at a time; the handler folds the answers into the version's shape."""

from __future__ import annotations

from collections.abc import Iterable

from riacho.base.errors import ErrorCode
from riacho.base.ids import ZERO_UUID
from riacho.groups.classic.records import CommittedOffset
from riacho.groups.offsets.offsets import Offsets
from riacho.wire.messages.offset_fetch_request import OffsetFetchRequestGroup
from riacho.wire.messages.offset_fetch_response import (
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopics,
)

NO_OFFSET = -1


def fetch_offsets(offsets: Offsets, request: OffsetFetchRequestGroup, require_stable: bool) -> OffsetFetchResponseGroup:
    """What is committed. Without a list of topics, everything; an unknown group has simply committed nothing."""
    committed = offsets.of_group(request.group_id)
    topics = []
    if request.topics is None:
        for name, by_partition in committed.items():
            topics.append(_topic(offsets, request.group_id, name, ZERO_UUID, by_partition, require_stable))
    else:
        for asked in request.topics:
            by_partition = committed.get(asked.name, {})
            topics.append(
                _topic(
                    offsets,
                    request.group_id,
                    asked.name,
                    asked.topic_id,
                    {index: by_partition.get(index) for index in asked.partition_indexes},
                    require_stable,
                )
            )
    return OffsetFetchResponseGroup(group_id=request.group_id, topics=topics)


def fetch_refused(request: OffsetFetchRequestGroup, code: ErrorCode) -> OffsetFetchResponseGroup:
    """An error for the group; older versions also want it at every partition, which the handler does."""
    return OffsetFetchResponseGroup(
        group_id=request.group_id,
        error_code=code,
        topics=[
            OffsetFetchResponseTopics(
                name=topic.name,
                topic_id=topic.topic_id,
                partitions=[_partition(index, None, code) for index in topic.partition_indexes],
            )
            for topic in request.topics or ()
        ],
    )


def _topic(
    offsets: Offsets,
    group_id: str,
    name: str,
    topic_id: bytes,
    by_partition: dict[int, CommittedOffset] | dict[int, CommittedOffset | None],
    require_stable: bool,
) -> OffsetFetchResponseTopics:
    partitions = []
    entries: Iterable[tuple[int, CommittedOffset | None]] = by_partition.items()
    for index, committed in entries:
        if require_stable and offsets.is_pending(group_id, name, index):
            partitions.append(_partition(index, None, ErrorCode.UNSTABLE_OFFSET_COMMIT))
        elif committed is not None and _is_of_another_topic(committed, topic_id):
            partitions.append(_partition(index, None, ErrorCode.NONE))
        else:
            partitions.append(_partition(index, committed, ErrorCode.NONE))
    return OffsetFetchResponseTopics(name=name, topic_id=topic_id, partitions=partitions)


def _partition(index: int, committed: CommittedOffset | None, code: ErrorCode) -> OffsetFetchResponsePartitions:
    if committed is None:
        return OffsetFetchResponsePartitions(
            partition_index=index, committed_offset=NO_OFFSET, committed_leader_epoch=-1, metadata="", error_code=code
        )
    return OffsetFetchResponsePartitions(
        partition_index=index,
        committed_offset=committed.offset,
        committed_leader_epoch=committed.leader_epoch,
        metadata=committed.metadata,
        error_code=code,
    )


def _is_of_another_topic(committed: CommittedOffset, topic_id: bytes) -> bool:
    """A topic deleted and created again has a new id; what was committed for the old one means nothing for it."""
    return topic_id != ZERO_UUID and committed.topic_id not in (ZERO_UUID, topic_id)
