"""DeleteRecords, v0-2: moves the log start (KIP-107). Offset -1 means up to the high watermark.

The answer comes when the log start of every replica whose broker lives has passed the offset, as followers tell with
their fetches, or with REQUEST_TIMED_OUT.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.requests.later import Later, Outcome
from riacho.security.denials import denied
from riacho.security.operations import AclOperation, AclResourceType
from riacho.wire.messages.delete_records_response import (
    DeleteRecordsPartitionResult,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)

if TYPE_CHECKING:
    from riacho.broker.partitions.hosted_partition import HostedPartition
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.wire.messages.delete_records_request import DeleteRecordsRequest

_UP_TO_HIGH_WATERMARK = -1
_INVALID_LOW_WATERMARK = -1


class _Awaited:
    """A partition whose followers have not all moved their log start yet."""

    def __init__(self, hosted: HostedPartition, target: int, result: DeleteRecordsPartitionResult) -> None:
        self.hosted = hosted
        self.target = target
        self.result = result
        self.settled: asyncio.Future[ErrorCode] = asyncio.get_running_loop().create_future()

    def settle(self, code: ErrorCode) -> None:
        if not self.settled.done():
            self.settled.set_result(code)


def handle(ctx: BrokerRequestContext, request: DeleteRecordsRequest) -> Outcome[DeleteRecordsResponse]:
    topics = []
    awaited: list[_Awaited] = []
    for topic in request.topics:
        partitions = []
        for asked in topic.partitions:
            result = DeleteRecordsPartitionResult(partition_index=asked.partition_index)
            try:
                hosted, target = _delete(ctx, topic.name, asked.partition_index, asked.offset)
                result.low_watermark = hosted.low_watermark()
                if result.low_watermark < target:
                    awaited.append(_Awaited(hosted, target, result))
            except KafkaError as error:
                _refuse(result, error.code)
            partitions.append(result)
        topics.append(DeleteRecordsTopicResult(name=topic.name, partitions=partitions))
    response = DeleteRecordsResponse(topics=topics)
    return Later.of(_settled(awaited, request.timeout_ms, response)) if awaited else response


def _delete(ctx: BrokerRequestContext, topic: str, index: int, offset: int) -> tuple[HostedPartition, int]:
    """Move the leader's log start; the partition and the offset that all replicas must reach."""
    if not ctx.allows(AclOperation.DELETE, AclResourceType.TOPIC, topic):
        raise denied(AclResourceType.TOPIC)
    hosted = ctx.hosting.replicas.find(topic, index)
    hosted.check_leader()
    if hosted.is_internal:
        raise KafkaError(ErrorCode.INVALID_TOPIC_EXCEPTION, f"{topic} is internal")
    if "delete" not in hosted.log.config.cleanup_policy and hosted.log.config.cleanup_policy:
        raise KafkaError(ErrorCode.POLICY_VIOLATION, f"{topic} is compacted only")
    target = hosted.log.high_watermark if offset == _UP_TO_HIGH_WATERMARK else offset
    if not 0 <= target <= hosted.log.high_watermark:
        raise KafkaError(ErrorCode.OFFSET_OUT_OF_RANGE, f"offset {offset} is past the high watermark")
    hosted.log.delete_records(target)
    hosted.log_start_moved()
    return hosted, target


async def _settled(awaited: list[_Awaited], timeout_ms: int, response: DeleteRecordsResponse) -> DeleteRecordsResponse:
    for each in awaited:
        each.hosted.await_low_watermark(each.target, each)
    try:
        await asyncio.wait([each.settled for each in awaited], timeout=max(timeout_ms, 0) / 1000)
    finally:
        for each in awaited:
            each.hosted.forget_low_watermark(each)
    for each in awaited:
        code = each.settled.result() if each.settled.done() else ErrorCode.REQUEST_TIMED_OUT
        if code:
            _refuse(each.result, code)
        else:
            each.result.low_watermark = each.hosted.low_watermark()
    return response


def _refuse(result: DeleteRecordsPartitionResult, code: ErrorCode) -> None:
    result.low_watermark = _INVALID_LOW_WATERMARK
    result.error_code = code
