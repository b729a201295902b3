"""DescribeLogDirs, v1-5: what each data directory holds. Null topics asks for all. v4: the volume's sizes (KIP-827).

A directory out of service is listed with an error and nothing else.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode
from riacho.wire.messages.describe_log_dirs_response import (
    DescribeLogDirsPartition,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
    DescribeLogDirsTopic,
)

if TYPE_CHECKING:
    from riacho.broker.hosted_partition import HostedPartition
    from riacho.broker.request_context import RequestContext
    from riacho.wire.messages.describe_log_dirs_request import DescribeLogDirsRequest


def handle(ctx: RequestContext, request: DescribeLogDirsRequest) -> DescribeLogDirsResponse:
    asked = None
    if request.topics is not None:
        asked = {(topic.topic, index) for topic in request.topics for index in topic.partitions}
    by_directory: dict[str, dict[str, list[DescribeLogDirsPartition]]] = {
        directory: {} for directory in ctx.broker.replicas.directories()
    }
    for hosted in ctx.broker.replicas.all():
        if asked is None or (hosted.topic, hosted.index) in asked:
            topics = by_directory.setdefault(os.path.dirname(hosted.log.directory), {})
            topics.setdefault(hosted.topic, []).append(_describe(hosted))
    results = [_result(directory, topics) for directory, topics in by_directory.items()]
    for directory in ctx.broker.replicas.offline_directories():
        results.append(DescribeLogDirsResult(error_code=ErrorCode.KAFKA_STORAGE_ERROR, log_dir=directory))
    return DescribeLogDirsResponse(results=results)


def _describe(hosted: HostedPartition) -> DescribeLogDirsPartition:
    return DescribeLogDirsPartition(
        partition_index=hosted.index, partition_size=hosted.log.size_bytes, offset_lag=0, is_future_key=False
    )


def _result(directory: str, topics: dict[str, list[DescribeLogDirsPartition]]) -> DescribeLogDirsResult:
    volume = os.statvfs(directory)
    return DescribeLogDirsResult(
        log_dir=directory,
        topics=[DescribeLogDirsTopic(name=name, partitions=partitions) for name, partitions in topics.items()],
        total_bytes=volume.f_frsize * volume.f_blocks,
        usable_bytes=volume.f_frsize * volume.f_bavail,
    )
