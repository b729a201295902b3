"""ListOffsets, v1-11.

v2: isolation level. v4: leader epochs. v7: the latest timestamp, -3 (KIP-734). v8, v9, v11: local and remote log times
(KIP-405, KIP-1005, KIP-1023): with no remote tier the earliest local offset is the log start, and nothing is tiered.
A batch that takes long to open is opened by a thread, and the answer waits for it.
The answer carries the epoch of the record found, not the current one: consumers commit and validate with it.
A new leader's high watermark may be behind the one that the last leader gave to consumers. Until it reaches the start
of the leader's epoch, they get OFFSET_NOT_AVAILABLE (KIP-207), before v5 LEADER_NOT_AVAILABLE, rather than an offset
that went back.
A reader of whatever is there, consumer -2, gets the offset where this replica's log ends and the epoch
of its last record, whether it leads or not: so does a controller that has to choose among replicas after an outage.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.partitions.hosted_partition import LATEST_EPOCH
from riacho.broker.requests.later import Later, Outcome
from riacho.log.lookup import LongLookupError, Opened
from riacho.partition.visibility import CONSUMER, DEBUGGING_CONSUMER, visible_end
from riacho.security.denials import denied
from riacho.security.operations import AclOperation, AclResourceType
from riacho.wire.messages.list_offsets_response import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)

if TYPE_CHECKING:
    from riacho.broker.partitions.hosted_partition import HostedPartition
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.wire.messages.list_offsets_request import ListOffsetsPartition, ListOffsetsRequest

LATEST = -1
EARLIEST = -2
MAX_TIMESTAMP = -3
EARLIEST_LOCAL = -4
LATEST_TIERED = -5
EARLIEST_PENDING_UPLOAD = -6
# The version from which each special time may be asked for.
_VERSION_OF_TIME = {MAX_TIMESTAMP: 7, EARLIEST_LOCAL: 8, LATEST_TIERED: 9, EARLIEST_PENDING_UPLOAD: 11}
_LEADER_EPOCH_VERSION = 4
_NOT_AVAILABLE_VERSION = 5


# A partition's answer, with what was found in batches that took long to open.
LookUp = Callable[[Opened], ListOffsetsPartitionResponse]


def handle(ctx: BrokerRequestContext, request: ListOffsetsRequest) -> Outcome[ListOffsetsResponse]:
    topics = []
    late: list[tuple[list[ListOffsetsPartitionResponse], int, LookUp]] = []
    for topic in request.topics:
        times_asked = Counter(partition.partition_index for partition in topic.partitions)
        is_allowed = ctx.allows(AclOperation.DESCRIBE, AclResourceType.TOPIC, topic.name)
        partitions = []
        for asked in topic.partitions:
            try:
                if not is_allowed:
                    raise denied(AclResourceType.TOPIC)
                if times_asked[asked.partition_index] > 1:
                    raise KafkaError(ErrorCode.INVALID_REQUEST, "a partition is asked for twice")
                hosted = ctx.hosting.replicas.find(topic.name, asked.partition_index)
                look_up = partial(_look_up, ctx, hosted, asked, request)
                partitions.append(look_up({}))
            except LongLookupError:
                late.append((partitions, len(partitions), look_up))
                partitions.append(ListOffsetsPartitionResponse(partition_index=asked.partition_index))
            except KafkaError as error:
                partitions.append(
                    ListOffsetsPartitionResponse(partition_index=asked.partition_index, error_code=error.code)
                )
        topics.append(ListOffsetsTopicResponse(name=topic.name, partitions=partitions))
    response = ListOffsetsResponse(topics=topics)
    return Later.of(_add_late(ctx, late, response)) if late else response


async def _add_late(
    ctx: BrokerRequestContext,
    late: list[tuple[list[ListOffsetsPartitionResponse], int, LookUp]],
    response: ListOffsetsResponse,
) -> ListOffsetsResponse:
    for partitions, at, look_up in late:
        try:
            partitions[at] = await _late(ctx, look_up)
        except KafkaError as error:
            partitions[at].error_code = error.code
    return response


async def _late(ctx: BrokerRequestContext, look_up: LookUp) -> ListOffsetsPartitionResponse:
    opened: Opened = {}
    while True:
        try:
            return look_up(opened)
        except LongLookupError as long:
            sought = long.sought
        opened[sought.header.base_offset] = await ctx.produce.checking.in_thread(sought.find)


def _look_up(
    ctx: BrokerRequestContext,
    hosted: HostedPartition,
    asked: ListOffsetsPartition,
    request: ListOffsetsRequest,
    opened: Opened,
) -> ListOffsetsPartitionResponse:
    time = asked.timestamp
    if ctx.version < _VERSION_OF_TIME.get(time, 0):
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION, f"time {time} is not known to version {ctx.version}")
    log = hosted.log
    answer = ListOffsetsPartitionResponse(partition_index=asked.partition_index)
    if time == LATEST and request.replica_id == DEBUGGING_CONSUMER and asked.current_leader_epoch == LATEST_EPOCH:
        answer.offset, answer.leader_epoch = log.log_end_offset, log.latest_epoch
        return answer
    hosted.check_leader(asked.current_leader_epoch)
    limit = visible_end(log, request.replica_id, request.isolation_level)
    if time == LATEST:
        if request.replica_id == CONSUMER:
            _check_available(ctx, hosted)
        answer.offset = limit
        answer.leader_epoch = hosted.leader_epoch
    elif time in (EARLIEST, EARLIEST_LOCAL):
        answer.offset = log.log_start_offset
        answer.leader_epoch = _epoch_at(hosted, log.log_start_offset)
    elif time in (LATEST_TIERED, EARLIEST_PENDING_UPLOAD):
        answer.leader_epoch = -1
    else:
        found = log.max_timestamp(opened) if time == MAX_TIMESTAMP else log.lookup_timestamp(time, opened)
        if found is not None and found[1] < limit:
            answer.timestamp, answer.offset, answer.leader_epoch = found
        elif request.replica_id == CONSUMER:
            _check_available(ctx, hosted)
    if ctx.version < _LEADER_EPOCH_VERSION:
        answer.leader_epoch = -1
    return answer


def _check_available(ctx: BrokerRequestContext, hosted: HostedPartition) -> None:
    leadership = hosted.leadership
    if leadership is not None and not leadership.is_high_watermark_current:
        is_known = ctx.version >= _NOT_AVAILABLE_VERSION
        raise KafkaError(ErrorCode.OFFSET_NOT_AVAILABLE if is_known else ErrorCode.LEADER_NOT_AVAILABLE)


def _epoch_at(hosted: HostedPartition, offset: int) -> int:
    epoch = hosted.log.epoch_for_offset(offset)
    return epoch if epoch is not None and epoch >= 0 else hosted.leader_epoch
