"""DeleteRecords, v0-2: moves the log start (KIP-107). Offset -1 means up to the high watermark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.wire.messages.delete_records_response import (
    DeleteRecordsPartitionResult,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext
    from riacho.wire.messages.delete_records_request import DeleteRecordsRequest

_UP_TO_HIGH_WATERMARK = -1
_INVALID_LOW_WATERMARK = -1


def handle(ctx: RequestContext, request: DeleteRecordsRequest) -> DeleteRecordsResponse:
    topics = []
    for topic in request.topics:
        partitions = []
        for asked in topic.partitions:
            result = DeleteRecordsPartitionResult(partition_index=asked.partition_index)
            try:
                result.low_watermark = _delete(ctx, topic.name, asked.partition_index, asked.offset)
            except KafkaError as error:
                result.low_watermark = _INVALID_LOW_WATERMARK
                result.error_code = error.code
            partitions.append(result)
        topics.append(DeleteRecordsTopicResult(name=topic.name, partitions=partitions))
    return DeleteRecordsResponse(topics=topics)


def _delete(ctx: RequestContext, topic: str, index: int, offset: int) -> int:
    hosted = ctx.broker.replicas.find(topic, index)
    hosted.check_leader()
    if hosted.is_internal:
        raise KafkaError(ErrorCode.INVALID_TOPIC_EXCEPTION, f"{topic} is internal")
    if "delete" not in hosted.log.config.cleanup_policy and hosted.log.config.cleanup_policy:
        raise KafkaError(ErrorCode.POLICY_VIOLATION, f"{topic} is compacted only")
    target = hosted.log.high_watermark if offset == _UP_TO_HIGH_WATERMARK else offset
    if not 0 <= target <= hosted.log.high_watermark:
        raise KafkaError(ErrorCode.OFFSET_OUT_OF_RANGE, f"offset {offset} is past the high watermark")
    hosted.log.delete_records(target)
    return hosted.log.log_start_offset
